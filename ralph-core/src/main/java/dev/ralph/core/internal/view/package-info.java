/** Views and ledgers: folds that are updated from a store, and decisions on their states. */
@NullMarked
package dev.ralph.core.internal.view;

import org.jspecify.annotations.NullMarked;
