package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notes of a session. A type is any name of letters, digits, {@code _} and {@code -}.
 *
 * <p>A reference to a note is its number ({@code n3}), its id, or the beginning of its id (8
 * characters or more). Methods with a reference throw {@link NotFoundException} if no object
 * matches, and {@link AmbiguousException} if several match; its message names them.
 */
public interface NoteLog {

  /** A finding that later iterations should know. */
  String LEARNING = "learning";

  /** An obstacle that the agent could not overcome. */
  String STUCK = "stuck";

  /** Advice. */
  String TIP = "tip";

  /** A decision and its reason. */
  String DECISION = "decision";

  /** Completed work. */
  String COMPLETED = "completed";

  /** Unfinished work. */
  String IN_PROGRESS = "in_progress";

  /** Work that waits for an external event. */
  String BLOCKED = "blocked";

  /** Remaining work. */
  String REMAINING = "remaining";

  /** The types in the instructions of agents. Other types are allowed. */
  List<String> USUAL_TYPES = List.of(LEARNING, STUCK, TIP, DECISION, BLOCKED);

  /** Adds a note that belongs to no iteration. */
  default Note add(String type, String content) {
    return add(type, content, 0);
  }

  /**
   * Adds a note.
   *
   * @param iteration the iteration that adds the note, or 0
   * @throws RalphException INVALID if the type is malformed or the content is blank
   */
  default Note add(String type, String content, int iteration) {
    return add(type, content, iteration, null);
  }

  /**
   * Adds a note.
   *
   * @param iteration the iteration that adds the note, or 0
   * @param about the subject, such as a task, in up to 200 characters, or null
   * @throws RalphException INVALID if the type is malformed, or a text is blank or too long
   */
  Note add(String type, String content, int iteration, @Nullable String about);

  /**
   * Removes a note. People and agents do not see it any more. The note stays in the log and in
   * views of the past.
   *
   * @return the removed note
   */
  Note remove(String ref);

  /** Returns the note with a reference. */
  Note get(String ref);

  /** Returns all notes, oldest first. */
  List<Note> list();

  /** Returns the notes of one type, oldest first. */
  List<Note> byType(String type);
}
