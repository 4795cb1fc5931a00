package dev.ralph.cli.loop;

import dev.ralph.Control;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import java.math.BigDecimal;

/** {@code ralph raise}: raises the limits of the running loop. */
public final class RaiseCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("let the loop that runs use more than it was given")
        .session()
        .value("i", "iterations", "N", "so many more iterations")
        .value("max-cost", "USD", "so much more cost of all iterations, such as 5 or 0.50")
        .value("max-tokens", "N", "so many more tokens of all iterations")
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
          "say what the loop may use more: --iterations N, --max-cost USD or --max-tokens N");
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
            ? "Raised; the loop may begin " + limit + " iterations in all"
            : "Raised");
  }
}
