/**
 * The commands for mail between agents, programs and people. Begin with {@link
 * dev.ralph.cli.mail.MailCall}, which resolves box and store, then read {@link
 * dev.ralph.cli.mail.MailForm} for the answers.
 */
@NullMarked
package dev.ralph.cli.mail;

import org.jspecify.annotations.NullMarked;
