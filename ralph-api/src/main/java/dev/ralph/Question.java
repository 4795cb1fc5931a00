package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An immutable view of an agent's question to the operator at one moment. */
public interface Question {

  /** Returns the id of the question's frame. */
  String id();

  /** Returns the shortest unique abbreviation of the id, at least 8 characters. */
  String shortId();

  /** Returns the question's number in its session, from 1, as in the reference {@code q3}. */
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
   * Returns the beginning of the question, or the whole question if it is shorter. Cheap up to
   * 1,500 characters, independent of the length of the question. If the rest is damaged, the result
   * may be shorter, and {@link Ralph#damage()} lists the damage.
   *
   * @param characters the largest number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if reading fails, CLOSED if the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(text(), characters);
  }

  /** Returns the length of the question in {@code char}s, without reading the text. */
  default int length() {
    return text().length();
  }

  /** Returns the time of the question. */
  Instant asked();

  /** Returns the author, or null if unknown. */
  @Nullable String by();

  /** Returns the iteration of the question, or 0 if unknown. */
  int iteration();

  /** Returns whether the question has no answer. */
  boolean isOpen();

  /**
   * Returns the whole answer, or null if none exists. Read from the store like {@link #text()}.
   *
   * @throws RalphException as {@link #text()}
   */
  @Nullable String answer();

  /**
   * Returns the beginning of the answer, like {@link #beginning}, or null if none exists.
   *
   * @param characters the largest number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if reading fails, CLOSED if the store is closed
   */
  default @Nullable String answerBeginning(int characters) {
    String whole = answer();
    return whole == null ? null : TextBeginning.of(whole, characters);
  }

  /**
   * Returns the length of the answer in {@code char}s, 0 if none exists, without reading the text.
   */
  default int answerLength() {
    String whole = answer();
    return whole == null ? 0 : whole.length();
  }

  /** Returns the author of the answer, or null if unknown or if there is no answer. */
  @Nullable String answeredBy();

  /** Returns the time of the answer, or null if none exists. */
  @Nullable Instant answered();

  /**
   * Returns the question as JSON, with the members of {@code ralph questions --json} and whole
   * texts. Jackson serializes the question as this object.
   *
   * @throws RalphException as the methods that return texts
   */
  @JsonValue
  Meta json();
}
