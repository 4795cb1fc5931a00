/** The commands for messages to the agent, and for its questions. */
@NullMarked
package dev.ralph.cli.inbox;

import org.jspecify.annotations.NullMarked;
