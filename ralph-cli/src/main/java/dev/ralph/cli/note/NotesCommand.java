package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph notes}. */
public final class NotesCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the notes that iterations left")
        .session()
        .value("type", "TYPE", "only those of that type")
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    String type = call.arguments().text("type");
    NoteLog log = call.view().notes();
    List<Note> notes = type == null ? log.list() : log.byType(type);
    if (call.json()) {
      List<Meta> all = new ArrayList<>();
      for (Note note : notes) {
        all.add(NoteForm.json(note));
      }
      call.answer("notes", "notes", all);
    } else if (notes.isEmpty()) {
      call.print("No notes yet");
    } else {
      for (Note note : notes) {
        call.print(NoteForm.line(note, call.style()));
      }
    }
    return ExitCode.DONE;
  }
}
