/**
 * How stored text is shown to a model, {@link dev.ralph.core.internal.text.Excerpt}, command lines,
 * and text in files of the user's.
 */
@NullMarked
package dev.ralph.core.internal.text;

import org.jspecify.annotations.NullMarked;
