/** How stored text is shown to a model, {@link dev.ralph.core.text.Excerpt}, and command lines. */
@NullMarked
package dev.ralph.core.text;

import org.jspecify.annotations.NullMarked;
