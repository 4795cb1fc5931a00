/** Texts as the folds keep them: short ones whole, of the others the beginning. */
@NullMarked
package dev.ralph.core.internal.text;

import org.jspecify.annotations.NullMarked;
