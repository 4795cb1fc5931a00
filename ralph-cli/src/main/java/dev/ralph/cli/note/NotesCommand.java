package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.util.List;

/** {@code ralph notes}. */
public final class NotesCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the notes of a session")
        .session()
        .value("type", "TYPE", "show only notes of this type")
        .limit("newest")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    String type = call.arguments().text("type");
    NoteLog log = call.view().notes();
    List<Note> notes = type == null ? log.list() : log.byType(type);
    NoteForm.LISTING.answer(call, notes, "No notes yet");
  }
}
