/**
 * The terminal: output, drawing and typed keys. Begin with {@link dev.ralph.cli.terminal.Output}
 * for lines, {@link dev.ralph.cli.terminal.Screen} for the whole screen and {@link
 * dev.ralph.cli.terminal.ControllingTerminal} for modes, size and signals.
 */
@NullMarked
package dev.ralph.cli.terminal;

import org.jspecify.annotations.NullMarked;
