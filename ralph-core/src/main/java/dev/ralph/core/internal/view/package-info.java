/**
 * Views and ledgers: folds updated from a store, and decisions on their states. Begin with {@link
 * dev.ralph.core.internal.view.FoldView} for reading and {@link
 * dev.ralph.core.internal.view.FoldLedger} for deciding; the other ledgers decorate a {@link
 * dev.ralph.core.internal.view.FoldLedger} with a condition, a signature or a moment.
 */
@NullMarked
package dev.ralph.core.internal.view;

import org.jspecify.annotations.NullMarked;
