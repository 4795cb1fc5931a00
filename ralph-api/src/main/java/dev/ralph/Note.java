package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that one iteration leaves for later ones. */
public interface Note {

  /** Returns the id of the note's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other note has.
   */
  String shortId();

  /** Returns the note's number in its session, from 1; {@code n3} refers to it everywhere. */
  int number();

  /** Returns its kind; see {@link NoteLog} for the usual ones. */
  String type();

  /**
   * Returns what it says, whole. One of more than 256 characters is read from the store each time,
   * so keep it while you work with it; for a list {@link #beginning} is the cheaper one. It is
   * empty if its frame was erased since.
   *
   * @throws RalphException DAMAGED if it is lost, IO if it can't be read, CLOSED once the store is
   *     closed
   */
  String content();

  /**
   * Returns the beginning of the content: all of it if it is no longer than that. Cheap up to 1,500
   * characters, however long the content is. Where the rest is lost, what is left of it is shorter
   * than was asked for; {@link Ralph#damage()} says so then.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(content(), characters);
  }

  /** Returns how many characters ({@code char}s) the content has. Nothing is read for that. */
  default int length() {
    return content().length();
  }

  /** Returns the iteration that left it, or 0 where that is not known. */
  int iteration();

  /** Returns what it is about, such as a task, in the words of who left it; or null. */
  @Nullable String about();

  /** Returns when it was left. */
  Instant added();
}
