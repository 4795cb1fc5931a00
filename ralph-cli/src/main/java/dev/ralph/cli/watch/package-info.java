/** The command that shows a session while it runs. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.watch;

import javax.annotation.ParametersAreNonnullByDefault;
