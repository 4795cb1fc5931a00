/**
 * The messages of a session. Begin with {@link dev.ralph.core.internal.message.MessageFold} for
 * their state and {@link dev.ralph.core.internal.message.MessageRules} for the rules, which
 * mailboxes share.
 */
@NullMarked
package dev.ralph.core.internal.inbox;

import org.jspecify.annotations.NullMarked;
