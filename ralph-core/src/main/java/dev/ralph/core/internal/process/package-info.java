/**
 * The one place where processes are started and ended: {@link
 * dev.ralph.core.internal.process.ProcessSpec} says what to start, {@link
 * dev.ralph.core.internal.process.ManagedProcess} is what runs, {@link
 * dev.ralph.core.internal.process.ProcessMark} finds what was left behind by a program that was
 * killed.
 */
@NullMarked
package dev.ralph.core.internal.process;

import org.jspecify.annotations.NullMarked;
