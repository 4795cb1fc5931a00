/** The commands for messages to the agent, and for its questions. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.inbox;

import javax.annotation.ParametersAreNonnullByDefault;
