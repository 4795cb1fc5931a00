package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.IterationLog;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.text.SafeText;
import java.util.EnumSet;

/** {@code ralph iterations}. */
public final class IterationsCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the iterations of a session and their results")
        .session()
        .value("transcript", "N", "print the agent's output of iteration N instead of the list")
        .value("show", "N", "print the record of iteration N instead of the list")
        .flag("prompt", "with --show: print the full prompt")
        .limit("newest")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session session = call.view();
    IterationLog log = session.iterations();
    int number = call.arguments().number("transcript", 0, 1, Integer.MAX_VALUE);
    if (number > 0) {
      transcript(call, log, number);
      return;
    }
    int shown = call.arguments().number("show", 0, 1, Integer.MAX_VALUE);
    if (shown > 0) {
      show(call, log, shown);
      return;
    }
    boolean cutOff = session.control().running().filter(Control.RunningLoop::live).isEmpty();
    IterationForm.listing(session, cutOff).answer(call, log.list(), "No iterations yet");
  }

  private static void show(Invocation call, IterationLog log, int number) {
    RecordForm form =
        new RecordForm(call.style(), call.arguments().has("prompt") ? null : "--prompt");
    EnumSet<RecordEntry.Type> seen = EnumSet.noneOf(RecordEntry.Type.class);
    log.record(
        number,
        entry -> {
          seen.add(entry.type());
          call.print(
              call.json()
                  ? entry.json(Json.of("record").with("n", number)).json()
                  : form.text(entry));
        });
    if (!call.json() && !seen.contains(RecordEntry.Type.TEXT)) {
      call.warn(
          (seen.isEmpty() ? "iteration " + number + " has no record; " : "")
              + "output of the agent: ralph iterations -n "
              + call.sessionName()
              + " --transcript "
              + number);
    }
  }

  /** Prints a transcript in pieces, because it may be long. */
  private static void transcript(Invocation call, IterationLog log, int number) {
    Output out = call.environment().out();
    if (call.json()) {
      Json.TextAnswer answer = new Json.TextAnswer(out, "transcript", "text");
      log.transcript(number, answer::add);
      answer.end();
    } else {
      log.transcript(number, piece -> out.now(SafeText.text(piece)));
      call.print("");
    }
  }
}
