package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph note add}. */
public final class NoteAddCommand implements Command {

  private static final String USUAL_TYPES = String.join(", ", NoteLog.USUAL_TYPES);

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("add a note for later iterations")
        .argument("TEXT")
        .session()
        .value("type", "TYPE", USUAL_TYPES + ", or a word of your choice")
        .value("about", "TEXT", "the subject of the note, such as a task")
        .iteration()
        .store();
  }

  @Override
  public void run(Invocation call) {
    String type = call.arguments().required("type");
    String text = call.text(0);
    Session session = call.sessionOrNew();
    Note note =
        session.notes().add(type, text, call.iteration(session), call.arguments().text("about"));
    if (call.json()) {
      call.answer("note", "note", NoteForm.json(note));
    } else {
      call.print(NoteForm.line(note, call.style()));
    }
  }
}
