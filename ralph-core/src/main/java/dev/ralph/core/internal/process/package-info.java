/**
 * Starts and ends all processes. {@link dev.ralph.core.internal.process.ProcessSpec} specifies a
 * process, {@link dev.ralph.core.internal.process.ManagedProcess} runs it. {@link
 * dev.ralph.core.internal.process.ProcessMark} finds processes that a killed program left.
 */
@NullMarked
package dev.ralph.core.internal.process;

import org.jspecify.annotations.NullMarked;
