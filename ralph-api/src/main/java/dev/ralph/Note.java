package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A note of one iteration for later iterations. */
public interface Note {

  /** Returns the id of the note's frame. */
  String id();

  /** Returns the shortest unique abbreviation of the id, at least 8 characters. */
  String shortId();

  /** Returns the note's number in its session, from 1, as in the reference {@code n3}. */
  int number();

  /** Returns the type; see {@link NoteLog} for the usual types. */
  String type();

  /**
   * Returns the whole content. A text of more than 256 characters is read from the store on each
   * call, so keep the result; {@link #beginning} is cheaper. Empty if the frame was erased.
   *
   * @throws RalphException DAMAGED if the text is damaged, IO if reading fails, CLOSED if the store
   *     is closed
   */
  String content();

  /**
   * Returns the beginning of the content, or the whole content if it is shorter. Cheap up to 1,500
   * characters, independent of the length of the content. If the rest is damaged, the result may be
   * shorter, and {@link Ralph#damage()} lists the damage.
   *
   * @param characters the largest number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if reading fails, CLOSED if the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(content(), characters);
  }

  /** Returns the length of the content in {@code char}s, without reading the text. */
  default int length() {
    return content().length();
  }

  /** Returns the iteration that added the note, or 0 if unknown. */
  int iteration();

  /** Returns the subject, such as a task, in the author's words, or null. */
  @Nullable String about();

  /** Returns the time at which the note was added. */
  Instant added();

  /**
   * Returns the note as JSON, with the members of {@code ralph notes --json} and whole texts.
   * Jackson serializes the note as this object.
   *
   * @throws RalphException as the methods that return texts
   */
  @JsonValue
  Meta json();
}
