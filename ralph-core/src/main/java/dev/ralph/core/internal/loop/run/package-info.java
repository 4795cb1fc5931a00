/**
 * The state that all parts of a run share. Begin with {@link
 * dev.ralph.core.internal.loop.run.LoopSession} with its {@link
 * dev.ralph.core.internal.loop.run.RunClaim} and {@link
 * dev.ralph.core.internal.loop.run.RunLimits}, then read {@link
 * dev.ralph.core.internal.loop.run.LoopReporter} for events and records, {@link
 * dev.ralph.core.internal.loop.run.LoopClock} and {@link dev.ralph.core.internal.loop.run.TimeBox}
 * for times, and {@link dev.ralph.core.internal.loop.run.CutOffWork} and {@link
 * dev.ralph.core.internal.loop.run.Cancellation} for work on other threads.
 */
@NullMarked
package dev.ralph.core.internal.loop.run;

import org.jspecify.annotations.NullMarked;
