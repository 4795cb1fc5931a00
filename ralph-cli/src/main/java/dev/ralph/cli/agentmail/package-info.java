/** The commands of AgentMail, with its messages and exit codes. */
@NullMarked
package dev.ralph.cli.agentmail;

import org.jspecify.annotations.NullMarked;
