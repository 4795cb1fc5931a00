package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph note show}. */
public final class NoteShowCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show the full text of a note").argument("ID").session().at().store();
  }

  @Override
  public void run(Invocation call) {
    Note note = call.view().notes().get(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("note", "note", NoteForm.whole(note));
    } else {
      call.print(NoteForm.wholeLine(note, call.style()));
    }
  }
}
