package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An immutable view of a message in a session's inbox at one moment. */
public interface Message {

  /** Returns the id of the message's frame. */
  String id();

  /** Returns the shortest unique abbreviation of the id, at least 8 characters. */
  String shortId();

  /** Returns the message's number in its session, from 1, as in the reference {@code m3}. */
  int number();

  /**
   * Returns the whole text. A text of more than 256 characters is read from the store on each call,
   * so keep the result; {@link #beginning} is cheaper. Empty if the frame was erased.
   *
   * @throws RalphException DAMAGED if the text is damaged, IO if reading fails, CLOSED if the store
   *     is closed
   */
  String text();

  /**
   * Returns the beginning of the text, or the whole text if it is shorter. Cheap up to 1,500
   * characters, independent of the length of the text. If the rest is damaged, the result may be
   * shorter, and {@link Ralph#damage()} lists the damage.
   *
   * @param characters the largest number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if reading fails, CLOSED if the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(text(), characters);
  }

  /** Returns the length of the text in {@code char}s, without reading the text. */
  default int length() {
    return text().length();
  }

  /** Returns the sender's timestamp: ISO 8601 with an offset. */
  String timestamp();

  /** Returns the time of the append. */
  Instant sent();

  /** Returns the sender, or null if unknown. */
  @Nullable String by();

  /** Returns the headline of mail, in one line, or null. */
  default @Nullable String headline() {
    return null;
  }

  /**
   * Returns whether the message is mail from the mailbox named by {@link #by}, for example from
   * another agent. Otherwise the message is from the operator.
   */
  default boolean isFromBox() {
    return false;
  }

  /** Returns the number of the addressed agent, from 1; 0 if the message is for all agents. */
  default int agent() {
    return 0;
  }

  /** Returns whether the message was marked as read. */
  boolean isRead();

  /**
   * Returns the number of the agent that marked the message as read, from 1; 0 if the message is
   * unread or was read by a person or a single agent.
   */
  default int readBy() {
    return 0;
  }

  /**
   * Returns whether the deadline of mail passed before the mail was read. Expired mail stays in the
   * log, and is not shown any more.
   */
  default boolean isExpired() {
    return false;
  }

  /** Returns whether the message waits for the next iteration. */
  boolean isFollowUp();

  /** Returns the id of the answered question, or null if the message answers none. */
  @Nullable String question();

  /**
   * Returns the message as JSON, with the members of {@code ralph inbox --json} and whole texts.
   * Jackson serializes the message as this object.
   *
   * @throws RalphException as the methods that return texts
   */
  @JsonValue
  Meta json();
}
