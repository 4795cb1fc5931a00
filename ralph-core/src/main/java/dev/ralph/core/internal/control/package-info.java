/** The control of a session's loop: its state, its activities, and the process that runs it. */
@NullMarked
package dev.ralph.core.internal.control;

import org.jspecify.annotations.NullMarked;
