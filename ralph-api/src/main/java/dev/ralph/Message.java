package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A message in a session's inbox as it stands at one moment. */
public interface Message {

  /** Returns the id of the message's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other one has.
   */
  String shortId();

  /** Returns the message's number in its session, from 1; {@code m3} refers to it everywhere. */
  int number();

  /**
   * Returns the text, whole. One of more than 256 characters is read from the store each time, so
   * keep it while you work with it; for a list {@link #beginning} is the cheaper one. It is empty
   * if its frame was erased since.
   *
   * @throws RalphException DAMAGED if it is lost, IO if it can't be read, CLOSED once the store is
   *     closed
   */
  String text();

  /**
   * Returns the beginning of the text: all of it if it is no longer than that. Cheap up to 1,500
   * characters, however long the text is. Where the rest is lost, what is left of it is shorter
   * than was asked for; {@link Ralph#damage()} says so then.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(text(), characters);
  }

  /** Returns how many characters ({@code char}s) the text has. Nothing is read for that. */
  default int length() {
    return text().length();
  }

  /** Returns when it was sent, as the sender wrote it: ISO-8601 with an offset. */
  String timestamp();

  /** Returns when it was appended. */
  Instant sent();

  /** Returns who sent it, or null where nobody said. */
  @Nullable String by();

  /** Returns what it is about, in a line, which mail may say; else null. */
  default @Nullable String headline() {
    return null;
  }

  /**
   * Returns whether it came as mail from the box that {@link #by} names: from another agent, say.
   * Else it is the operator's.
   */
  default boolean isFromBox() {
    return false;
  }

  /**
   * Returns the number of the agent that the message is addressed to, from 1, of several that work
   * on the session; 0 if the message is for all of them.
   */
  default int agent() {
    return 0;
  }

  /** Returns whether it was marked as read. */
  boolean isRead();

  /**
   * Returns the number of the agent that marked the message as read, from 1; 0 if the message is
   * unread, or was not read by one of several agents.
   */
  default int readBy() {
    return 0;
  }

  /**
   * Returns whether its deadline passed before anybody had read it, which mail may have. It is
   * logged then and not shown any more.
   */
  default boolean isExpired() {
    return false;
  }

  /** Returns whether it is meant for the next iteration rather than the one that runs. */
  boolean isFollowUp();

  /** Returns the id of the question that it answers, or null where it answers none. */
  @Nullable String question();
}
