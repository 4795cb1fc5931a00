package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;

/** Renders notes as text and JSON. */
public final class NoteForm {

  /** The listing of notes. */
  static final ListOutput<Note> LISTING =
      new ListOutput<>("notes", "notes", NoteForm::json, NoteForm::line);

  private NoteForm() {}

  /** Returns a note as text, with further lines for a text of several lines. A long text is cut. */
  public static String line(Note note, Style style) {
    return line(note, ListedText.of(note), style);
  }

  /** Returns a note as text, with the whole text. */
  static String wholeLine(Note note, Style style) {
    return line(note, ListedText.whole(note.content()), style);
  }

  private static String line(Note note, ListedText content, Style style) {
    String iteration = note.iteration() == 0 ? "" : " (iteration " + note.iteration() + ")";
    return "n"
        + note.number()
        + " "
        + style.heading(SafeText.line(note.type()))
        + style.faint(iteration)
        + (note.about() == null ? "" : " " + SafeText.line(note.about()))
        + ": "
        + content.indented("note show n" + note.number());
  }

  /** Returns a note as a JSON object. A long text is cut. */
  public static Meta json(Note note) {
    return SessionJson.note(note, JsonProfile.LISTED);
  }

  /** Returns a note as a JSON object, with the whole text. */
  static Meta whole(Note note) {
    return SessionJson.note(note, JsonProfile.FULL);
  }
}
