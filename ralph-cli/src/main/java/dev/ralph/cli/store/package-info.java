/** The commands that work on the log itself, or on the store that keeps it. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.store;

import javax.annotation.ParametersAreNonnullByDefault;
