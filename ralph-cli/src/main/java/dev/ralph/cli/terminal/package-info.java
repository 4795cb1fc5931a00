/** The terminal: what is written to it, drawn on it and typed in it. */
@NullMarked
package dev.ralph.cli.terminal;

import org.jspecify.annotations.NullMarked;
