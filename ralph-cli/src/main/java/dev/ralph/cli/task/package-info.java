/** The commands that show and change tasks. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.task;

import javax.annotation.ParametersAreNonnullByDefault;
