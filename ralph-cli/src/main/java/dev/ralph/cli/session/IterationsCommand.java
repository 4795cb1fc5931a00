package dev.ralph.cli.session;

import dev.ralph.IterationLog;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.text.SafeText;

/** {@code ralph iterations}. */
public final class IterationsCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the iterations of a session and how they went")
        .session()
        .value("transcript", "N", "what the agent printed in that iteration, in their place")
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
    boolean cutOff =
        StatusCommand.isCutOff(log.last().orElse(null), session.control().running().orElse(null));
    IterationForm.listing(cutOff).answer(call, log.list(), "No iterations yet");
  }

  /** Piece by piece, because it may be long. */
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
