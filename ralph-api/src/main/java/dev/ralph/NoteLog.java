package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notes of a session. Types are open: any name of letters, digits, {@code _} and {@code -}.
 *
 * <p>A reference to a note is its number ({@code n3}), its id, or the beginning of its id (8
 * characters or more). A method given a reference throws {@link NotFoundException} or {@link
 * AmbiguousException}, the message naming the candidates.
 */
public interface NoteLog {

  /** Something found out that later iterations should know. */
  String LEARNING = "learning";

  /** Something that could not be got past. */
  String STUCK = "stuck";

  /** Advice. */
  String TIP = "tip";

  /** A choice made, and why. */
  String DECISION = "decision";

  /** Work that was done. */
  String COMPLETED = "completed";

  /** Work under way. */
  String IN_PROGRESS = "in_progress";

  /** Work that waits for something outside. */
  String BLOCKED = "blocked";

  /** Work left to do. */
  String REMAINING = "remaining";

  /** The types that agents are told to use; any other name is as good. */
  List<String> USUAL_TYPES = List.of(LEARNING, STUCK, TIP, DECISION, BLOCKED);

  /** Adds a note outside any iteration. */
  default Note add(String type, String content) {
    return add(type, content, 0);
  }

  /**
   * Adds a note.
   *
   * @param iteration the iteration that leaves it, or 0
   * @throws RalphException INVALID if the type is not a name or the content is blank
   */
  default Note add(String type, String content, int iteration) {
    return add(type, content, iteration, null);
  }

  /**
   * Adds a note.
   *
   * @param iteration the iteration that leaves it, or 0
   * @param about what it is about, such as a task, in up to 200 characters; null to leave it out
   * @throws RalphException INVALID if the type is not a name, or a text is blank or too long
   */
  Note add(String type, String content, int iteration, @Nullable String about);

  /**
   * Removes a note: it is no longer shown, to agents either. The log keeps it, and so do views of
   * the past.
   *
   * @return the note as it was
   */
  Note remove(String ref);

  /** Returns the note referred to. */
  Note get(String ref);

  /** Returns all notes, oldest first. */
  List<Note> list();

  /** Returns the notes of one type, oldest first. */
  List<Note> byType(String type);
}
