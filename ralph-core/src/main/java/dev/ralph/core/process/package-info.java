/**
 * The one place where processes are started and ended: {@link dev.ralph.core.process.ProcessSpec}
 * says what to start, {@link dev.ralph.core.process.ManagedProcess} is what runs, {@link
 * dev.ralph.core.process.ProcessMark} finds what was left behind by a program that was killed.
 */
package dev.ralph.core.process;
