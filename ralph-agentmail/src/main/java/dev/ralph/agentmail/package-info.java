/**
 * Mailboxes of AgentMail: files of JSON lines per recipient, shared with AgentMail's programs, and
 * tmux windows as identities.
 */
@NullMarked
package dev.ralph.agentmail;

import org.jspecify.annotations.NullMarked;
