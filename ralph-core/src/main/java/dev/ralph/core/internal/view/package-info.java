/** Folds kept up to date with a store, and the one way to decide on them. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.view;

import javax.annotation.ParametersAreNonnullByDefault;
