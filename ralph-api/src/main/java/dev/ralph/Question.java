package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A question of an agent to the operator, as it stands at one moment. */
public interface Question {

  /** Returns the id of the question's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other one has.
   */
  String shortId();

  /** Returns the question's number in its session, from 1; {@code q3} refers to it everywhere. */
  int number();

  /**
   * Returns what is asked, whole. One of more than 256 characters is read from the store each time,
   * so keep it while you work with it; for a list {@link #beginning} is the cheaper one. It is
   * empty if its frame was erased since.
   *
   * @throws RalphException DAMAGED if it is lost, IO if it can't be read, CLOSED once the store is
   *     closed
   */
  String text();

  /**
   * Returns the beginning of the question: all of it if it is no longer than that. Cheap up to
   * 1,500 characters, however long the text is. Where the rest is lost, what is left of it is
   * shorter than was asked for; {@link Ralph#damage()} says so then.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(text(), characters);
  }

  /** Returns how many characters ({@code char}s) the question has. Nothing is read for that. */
  default int length() {
    return text().length();
  }

  /** Returns when it was asked. */
  Instant asked();

  /** Returns who asked, or null where nobody said. */
  @Nullable String by();

  /** Returns the iteration in which it was asked, or 0 where that is not known. */
  int iteration();

  /** Returns whether nobody has answered yet. */
  boolean isOpen();

  /**
   * Returns the answer, whole, or null while there is none. It is read as {@link #text()} is.
   *
   * @throws RalphException as {@link #text()} does
   */
  @Nullable String answer();

  /**
   * Returns the beginning of the answer as {@link #beginning} does that of the question, or null
   * while there is none.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  default @Nullable String answerBeginning(int characters) {
    String whole = answer();
    return whole == null ? null : TextBeginning.of(whole, characters);
  }

  /**
   * Returns how many characters ({@code char}s) the answer has, 0 while there is none. Nothing is
   * read for that.
   */
  default int answerLength() {
    String whole = answer();
    return whole == null ? 0 : whole.length();
  }

  /** Returns who answered, or null where nobody has, or said. */
  @Nullable String answeredBy();

  /** Returns when it was answered, or null while it is not. */
  @Nullable Instant answered();
}
