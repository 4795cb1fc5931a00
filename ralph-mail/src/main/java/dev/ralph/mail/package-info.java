/** Mailboxes of agents, programs and people that share a store. */
@NullMarked
package dev.ralph.mail;

import org.jspecify.annotations.NullMarked;
