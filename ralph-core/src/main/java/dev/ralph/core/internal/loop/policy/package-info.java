/**
 * The rules of a loop as pure functions. Begin with {@link
 * dev.ralph.core.internal.loop.policy.LoopPolicy}: it returns the {@link
 * dev.ralph.core.internal.loop.policy.NextAction} for a {@link
 * dev.ralph.core.internal.loop.policy.PolicyView} of the session and the {@link
 * dev.ralph.core.internal.loop.policy.LoopFacts} of the run. Nothing here reads a store, a clock or
 * a file, waits, or appends.
 */
@NullMarked
package dev.ralph.core.internal.loop.policy;

import org.jspecify.annotations.NullMarked;
