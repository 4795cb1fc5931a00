package dev.ralph.cli.note;

import dev.ralph.Note;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph note remove}. */
public final class NoteRemoveCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("remove an outdated note").argument("ID").session().store();
  }

  @Override
  public void run(Invocation call) {
    Note note = call.session().notes().remove(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("note", "note", NoteForm.json(note));
    } else {
      call.print("Note n" + note.number() + " removed");
    }
  }
}
