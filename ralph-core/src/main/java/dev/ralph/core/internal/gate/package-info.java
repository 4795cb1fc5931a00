/**
 * The gates that are commands. {@link dev.ralph.core.internal.gate.GateRun} runs a command, {@link
 * dev.ralph.core.internal.gate.GateResult} is the result of any gate.
 */
@NullMarked
package dev.ralph.core.internal.gate;

import org.jspecify.annotations.NullMarked;
