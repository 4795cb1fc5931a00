/**
 * Messages on the log, for the inbox of a session and for mailboxes. Begin with {@link
 * dev.ralph.core.internal.message.MessageFold}, which lists the frames, then read {@link
 * dev.ralph.core.internal.message.MessageRules} for sending, receiving and settling, and {@link
 * dev.ralph.core.internal.message.Messages} for queries.
 */
@NullMarked
package dev.ralph.core.internal.message;

import org.jspecify.annotations.NullMarked;
