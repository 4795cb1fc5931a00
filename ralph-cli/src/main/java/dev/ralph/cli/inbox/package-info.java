/** The commands for messages to agents and for questions of agents. */
@NullMarked
package dev.ralph.cli.inbox;

import org.jspecify.annotations.NullMarked;
