/** The commands of AgentMail, with its words and exit codes. */
@NullMarked
package dev.ralph.cli.agentmail;

import org.jspecify.annotations.NullMarked;
