package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.IterationLog;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph iterations}. */
public final class IterationsCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the iterations of a session and how they went")
        .session()
        .value("transcript", "N", "what the agent printed in that iteration, in their place")
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    IterationLog log = call.view().iterations();
    int number = call.arguments().number("transcript", 0, 1, Integer.MAX_VALUE);
    if (number > 0) {
      String text = log.transcript(number);
      if (call.json()) {
        call.answer("transcript", "text", text);
      } else {
        call.print(SafeText.text(text));
      }
      return ExitCode.DONE;
    }
    List<Iteration> iterations = log.list();
    if (call.json()) {
      List<Meta> all = new ArrayList<>();
      for (Iteration iteration : iterations) {
        all.add(IterationForm.json(iteration));
      }
      call.answer("iterations", "iterations", all);
    } else if (iterations.isEmpty()) {
      call.print("No iterations yet");
    } else {
      for (Iteration iteration : iterations) {
        call.print(IterationForm.line(iteration, call.style()));
      }
    }
    return ExitCode.DONE;
  }
}
