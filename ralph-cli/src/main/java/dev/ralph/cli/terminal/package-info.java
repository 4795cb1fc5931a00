/** The terminal: what is written to it, drawn on it and typed in it. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.terminal;

import javax.annotation.ParametersAreNonnullByDefault;
