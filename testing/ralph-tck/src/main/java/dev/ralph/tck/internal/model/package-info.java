/**
 * The model checker: runs random programs of operations on a store and on a plain list and compares
 * the results. {@link dev.ralph.tck.internal.model.RandomPrograms} is the entry point.
 */
@NullMarked
package dev.ralph.tck.internal.model;

import org.jspecify.annotations.NullMarked;
