/** The terminal: output, drawing and typed keys. */
@NullMarked
package dev.ralph.cli.terminal;

import org.jspecify.annotations.NullMarked;
