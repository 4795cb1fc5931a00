/** The {@code ralph} command. */
@ParametersAreNonnullByDefault
package dev.ralph.cli;

import javax.annotation.ParametersAreNonnullByDefault;
