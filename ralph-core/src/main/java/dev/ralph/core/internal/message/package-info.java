/**
 * Messages on the log, for the inbox of a session and for mailboxes: the fold of their frames, and
 * the rules for sending, receiving and settling them.
 */
@NullMarked
package dev.ralph.core.internal.message;

import org.jspecify.annotations.NullMarked;
