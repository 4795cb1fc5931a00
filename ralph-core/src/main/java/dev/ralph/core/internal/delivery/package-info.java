/**
 * Delivers messages to running agents: {@link dev.ralph.core.internal.delivery.AgentInbox} leases
 * the messages, {@link dev.ralph.core.internal.delivery.OperatorMessages} renders the messages, and
 * {@link dev.ralph.core.internal.delivery.ReadingProof} finds the proof that a model has read them.
 */
@NullMarked
package dev.ralph.core.internal.delivery;

import org.jspecify.annotations.NullMarked;
