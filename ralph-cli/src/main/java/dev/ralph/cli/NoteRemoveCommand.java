package dev.ralph.cli;

import dev.ralph.Note;

/** {@code ralph note remove}. */
final class NoteRemoveCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("remove a note that no longer holds").argument("ID").session().store();
  }

  @Override
  public int run(Invocation call) {
    Note note = call.session().notes().remove(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("note", "note", NoteForm.json(note));
    } else {
      call.print("Note n" + note.number() + " removed");
    }
    return ExitCode.DONE;
  }
}
