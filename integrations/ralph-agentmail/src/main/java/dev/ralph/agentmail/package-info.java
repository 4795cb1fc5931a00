/**
 * Mailboxes of AgentMail: files of JSON lines per recipient, shared with AgentMail's programs, and
 * tmux windows as identities. Begin with {@link dev.ralph.agentmail.AgentMail}. Inside, {@link
 * dev.ralph.agentmail.FileMailbox} reads and writes a file under a {@link
 * dev.ralph.agentmail.MailboxLock}.
 */
@NullMarked
package dev.ralph.agentmail;

import org.jspecify.annotations.NullMarked;
