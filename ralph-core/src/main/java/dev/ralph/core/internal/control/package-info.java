/**
 * The control of a session's loop: the state, the activities, and the process of a loop. Begin with
 * {@link dev.ralph.core.internal.control.ControlFold}, which lists the frames, then read {@link
 * dev.ralph.core.internal.control.ControlDecider} for the rules and {@link
 * dev.ralph.core.internal.control.LedgerControl} for the methods of the loop.
 */
@NullMarked
package dev.ralph.core.internal.control;

import org.jspecify.annotations.NullMarked;
