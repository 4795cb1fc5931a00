/**
 * Mailboxes of agents, programs and people that share a store. Begin with {@link
 * dev.ralph.mail.Mailboxes} and {@link dev.ralph.mail.Mailbox}; {@link dev.ralph.mail.MailTools}
 * offers a box to an agent as tools. Inside, {@link dev.ralph.mail.LogMailbox} keeps the mail of a
 * box in a topic of the log.
 */
@NullMarked
package dev.ralph.mail;

import org.jspecify.annotations.NullMarked;
