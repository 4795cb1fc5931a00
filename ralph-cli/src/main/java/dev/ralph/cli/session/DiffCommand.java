package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.inbox.MessageForm;
import dev.ralph.cli.inbox.QuestionForm;
import dev.ralph.cli.note.NoteForm;
import dev.ralph.cli.task.TaskForm;
import dev.ralph.cli.terminal.Style;
import dev.ralph.core.internal.diff.SessionDiff;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** {@code ralph diff}. */
public final class DiffCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show the changes of a session since a frame (id), time or age (1h)")
        .argument("SINCE")
        .optionalArgument("UNTIL")
        .session()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session now = call.session();
    String until = call.arguments().argument(1);
    Session before = call.at(now, "SINCE", call.arguments().requiredArgument(0));
    Session after = until == null ? now : call.at(now, "UNTIL", until);
    SessionDiff diff = SessionDiff.between(before, after);
    Instant moment = call.moment();
    if (call.json()) {
      call.print(
          Json.of("diff")
              .with("tasks", json(diff.tasks(), task -> TaskForm.json(task, moment)))
              .with("notes", json(diff.notes(), NoteForm::json))
              .with("messages", json(diff.messages(), MessageForm::json))
              .with("questions", json(diff.questions(), QuestionForm::json))
              .json());
      return;
    }
    Style style = call.style();
    if (diff.isEmpty()) {
      call.print("No changes");
    }
    print(call, "Tasks", diff.tasks(), task -> TaskForm.line(task, style, moment));
    print(call, "Notes", diff.notes(), note -> NoteForm.line(note, style));
    print(call, "Messages", diff.messages(), message -> MessageForm.line(message, style));
    print(call, "Questions", diff.questions(), question -> QuestionForm.line(question, style));
  }

  /** Prints changes; a changed element has a line for its old and its new state. */
  private static <T> void print(
      Invocation call,
      String title,
      List<SessionDiff.Change<T>> changes,
      Function<T, String> form) {
    if (changes.isEmpty()) {
      return;
    }
    call.print(call.style().heading(title));
    for (SessionDiff.Change<T> change : changes) {
      T before = change.before();
      T after = change.after();
      if (before != null) {
        call.print("- " + form.apply(before));
      }
      if (after != null) {
        call.print("+ " + form.apply(after));
      }
    }
  }

  private static <T> List<Meta> json(List<SessionDiff.Change<T>> changes, Function<T, Meta> form) {
    return changes.stream().map(change -> json(change, form)).toList();
  }

  private static <T> Meta json(SessionDiff.Change<T> change, Function<T, Meta> form) {
    T before = change.before();
    T after = change.after();
    return Meta.of("change", change.kind().name().toLowerCase(Locale.ROOT))
        .with("before", before == null ? null : form.apply(before))
        .with("after", after == null ? null : form.apply(after));
  }
}
