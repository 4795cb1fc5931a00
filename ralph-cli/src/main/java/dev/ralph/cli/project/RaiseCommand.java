package dev.ralph.cli.project;

import dev.ralph.Control;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.loop.LoopLimits;
import java.math.BigDecimal;

/** {@code ralph raise}: raises the limits of the running loop. */
public final class RaiseCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("raise the limits of a running loop")
        .session()
        .value("i", "iterations", "N", "additional iterations")
        .value("max-cost", "USD", "additional cost, such as 5 or 0.50")
        .value("max-tokens", "N", "additional tokens")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    int iterations = arguments.number("iterations", 0, 1, Integer.MAX_VALUE);
    BigDecimal cost = LoopLimits.cost(arguments, "max-cost");
    Long tokens = LoopLimits.tokens(arguments, "max-tokens");
    if (iterations == 0 && cost == null && tokens == null) {
      throw new UsageException(
          "no limit to raise; give --iterations N, --max-cost USD or --max-tokens N");
    }
    Control control = call.session().control();
    control.raise(new Control.More(iterations, cost, tokens == null ? 0 : tokens));
    if (call.json()) {
      call.answer("control", "order", "raise");
      return;
    }
    int limit = control.running().map(Control.RunningLoop::limit).orElse(0);
    call.print(
        iterations > 0 && limit > 0
            ? "Raised; the limit is now " + limit + " iterations"
            : "Raised");
  }
}
