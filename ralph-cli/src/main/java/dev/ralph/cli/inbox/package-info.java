/**
 * The commands for messages to agents and for questions of agents. Each command is a class; {@link
 * dev.ralph.cli.inbox.MessageForm} and {@link dev.ralph.cli.inbox.QuestionForm} render the answers.
 */
@NullMarked
package dev.ralph.cli.inbox;

import org.jspecify.annotations.NullMarked;
