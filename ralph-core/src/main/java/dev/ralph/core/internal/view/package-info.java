/** Folds kept up to date with a store, and the one way to decide on them. */
@NullMarked
package dev.ralph.core.internal.view;

import org.jspecify.annotations.NullMarked;
