/** The commands that run an agent, or make ready for it. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.loop;

import javax.annotation.ParametersAreNonnullByDefault;
