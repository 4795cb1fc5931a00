/**
 * The model checker: random programs of operations, run on a store and on a plain list that it must
 * agree with. {@link dev.ralph.tck.internal.model.RandomPrograms} is where it is entered.
 */
@NullMarked
package dev.ralph.tck.internal.model;

import org.jspecify.annotations.NullMarked;
