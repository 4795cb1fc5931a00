/**
 * Writers in processes of their own that keep a journal outside the store, ways to end them or to
 * take the disk away, and a check that holds what a store has against what the journals say.
 */
@NullMarked
package dev.ralph.chaos;

import org.jspecify.annotations.NullMarked;
