/**
 * Renders stored text for models, see {@link dev.ralph.core.internal.text.TextExcerpt}. Also splits
 * command lines and reads the user's text files.
 */
@NullMarked
package dev.ralph.core.internal.text;

import org.jspecify.annotations.NullMarked;
