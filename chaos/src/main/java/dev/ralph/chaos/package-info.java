/**
 * Writer processes with journals outside the store, faults for processes and disks, and checks of a
 * store against the journals.
 */
@NullMarked
package dev.ralph.chaos;

import org.jspecify.annotations.NullMarked;
