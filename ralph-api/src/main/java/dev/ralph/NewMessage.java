package dev.ralph;

import dev.ralph.log.RalphException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message to be sent. */
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

  /** Returns a message of any length. */
  public static NewMessage of(String text) {
    return new NewMessage(Objects.requireNonNull(text, "text"), null, null, false, 0);
  }

  /** Returns this message, sent by somebody; null stands for nobody in particular. */
  public NewMessage by(@Nullable String by) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /**
   * Returns this message, to be sent only if its sender sent none under the same key before. Those
   * that don't say who sends them are of one sender.
   */
  public NewMessage key(@Nullable String key) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /** Returns this message, to wait for the next iteration rather than reach the one that runs. */
  public NewMessage followUp(boolean followUp) {
    return new NewMessage(text, by, key, followUp, agent);
  }

  /**
   * Returns this message, addressed to one of several agents that work on the session. All of them
   * receive it if the loop has no agent of that number, and so does an agent that works alone.
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

  /** Returns what it says. */
  public String text() {
    return text;
  }

  /** Returns who sends it, or null. */
  public @Nullable String by() {
    return by;
  }

  /** Returns the key under which only one message is sent, or null. */
  public @Nullable String key() {
    return key;
  }

  /** Returns whether it waits for the next iteration. */
  public boolean isFollowUp() {
    return followUp;
  }

  /** Returns the number of the agent that the message is addressed to; 0 for all agents. */
  public int agent() {
    return agent;
  }
}
