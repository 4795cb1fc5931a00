package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;

/** How a note is shown. */
public final class NoteForm {

  private NoteForm() {}

  /** Returns a note as a line, or several where its text has several. */
  public static String line(Note note, Style style) {
    String iteration = note.iteration() == 0 ? "" : " (iteration " + note.iteration() + ")";
    return "n"
        + note.number()
        + " "
        + style.heading(SafeText.line(note.type()))
        + style.faint(iteration)
        + ": "
        + SafeText.text(note.content()).replace("\n", "\n    ");
  }

  /** Returns a note as an object. */
  public static Meta json(Note note) {
    return Meta.of("ref", "n" + note.number())
        .with("id", note.id())
        .with("short_id", note.shortId())
        .with("type", note.type())
        .with("content", note.content())
        .with("iteration", note.iteration() == 0 ? null : note.iteration())
        .with("added", Times.format(note.added()));
  }
}
