package dev.ralph;

import dev.ralph.log.RalphException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message to send. Immutable. */
public final class NewMessage {

  private final String text;
  private final @Nullable String by;
  private final @Nullable String key;
  private final boolean followUp;
  private final int agent;

  private NewMessage(
      String text, @Nullable String by, @Nullable String key, boolean followUp, int agent) {
    this.text = text;
    this.by = by;
    this.key = key;
    this.followUp = followUp;
    this.agent = agent;
  }

  /** Returns a message with a text of any length. */
  public static NewMessage of(String text) {
    return new NewMessage(Objects.requireNonNull(text, "text"), null, null, false, 0);
  }

  /** Returns a copy with a sender; null for none. */
  public NewMessage by(@Nullable String by) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /**
   * Returns a copy with an idempotency key: the message is not sent if its sender has already sent
   * one with the key. All messages without a sender count as messages of one sender.
   */
  public NewMessage key(@Nullable String key) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /** Returns a copy that waits for the next iteration, or reaches the running one. */
  public NewMessage followUp(boolean followUp) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /**
   * Returns a copy addressed to one of several agents. All agents get the message if the loop has
   * no agent with the number, and so does a single agent.
   *
   * @param number the agent's number, from 1; 0 for all agents
   * @throws RalphException INVALID if the number is negative
   */
  public NewMessage agent(int number) {
    if (number < 0) {
      throw RalphException.invalid("an agent's number must not be negative: " + number);
    }
    return new NewMessage(text, by, key, followUp, number);
  }

  /** Returns the text. */
  public String text() {
    return text;
  }

  /** Returns the sender, or null. */
  public @Nullable String by() {
    return by;
  }

  /** Returns the idempotency key, or null. */
  public @Nullable String key() {
    return key;
  }

  /** Returns whether the message waits for the next iteration. */
  public boolean isFollowUp() {
    return followUp;
  }

  /** Returns the number of the addressed agent; 0 for all agents. */
  public int agent() {
    return agent;
  }
}
