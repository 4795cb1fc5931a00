/**
 * Writer processes with journals outside the store, faults for processes and disks, and checks of a
 * store against the journals. Begin with {@link dev.ralph.chaos.KillRounds} and {@link
 * dev.ralph.chaos.LogCheck}.
 */
@NullMarked
package dev.ralph.chaos;

import org.jspecify.annotations.NullMarked;
