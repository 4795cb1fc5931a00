package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.test.ReplayAgent.Difference;
import java.util.List;
import java.util.Objects;

/** {@code ralph replay}. */
public final class ReplayCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("replay the recorded iterations of a session without a model")
        .session()
        .value("to", "NAME", "the new session for the replay (default: NAME-replay)")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session recorded = call.session();
    String name =
        Objects.requireNonNullElse(call.arguments().text("to"), recorded.name() + "-replay");
    if (call.store().hasSession(name)) {
      throw RalphException.invalid(
          "the session "
              + RalphException.quote(name)
              + " already exists; give another name with --to");
    }
    Replay replay = new Replay(call.store().frames(), recorded, call.store().session(name));
    if (replay.iterations() == 0) {
      throw RalphException.invalid("the session " + recorded.name() + " has no iterations");
    }
    List<Difference> differences = replay.run();
    if (call.json()) {
      call.print(
          Json.of("replayed")
              .with("session", name)
              .with("iterations", replay.iterations())
              .with("without_calls", replay.withoutCalls().isEmpty() ? null : replay.withoutCalls())
              .with("differences", differences.stream().map(ReplayCommand::json).toList())
              .json());
    } else {
      differences.forEach(difference -> call.print(line(difference)));
      if (!differences.isEmpty() && !replay.withoutCalls().isEmpty()) {
        call.print(reason(replay.withoutCalls()));
      }
      call.print(
          "The session "
              + name
              + " replays "
              + count(replay.iterations(), "iteration")
              + " of "
              + recorded.name()
              + ": "
              + (differences.isEmpty()
                  ? "no differences"
                  : count(differences.size(), "difference")));
    }
    if (!differences.isEmpty()) {
      call.exitWith(ExitCode.FAILED);
    }
  }

  private static String reason(List<Integer> iterations) {
    return "Reason: the record of "
        + (iterations.size() == 1 ? "iteration " : "iterations ")
        + String.join(", ", iterations.stream().map(number -> "#" + number).toList())
        + " has no tool calls. A command agent changes the session by the command ralph, which a"
        + " replay does not repeat.";
  }

  private static Meta json(Difference difference) {
    return Meta.empty()
        .with("n", difference.iteration() == 0 ? null : difference.iteration())
        .with("what", difference.what())
        .with("recorded", difference.recorded())
        .with("now", difference.now());
  }

  private static String line(Difference difference) {
    return (difference.iteration() == 0 ? "" : "#" + difference.iteration() + ", ")
        + RecordForm.line(difference.what())
        + ": recorded '"
        + RecordForm.line(difference.recorded())
        + "', replayed '"
        + RecordForm.line(difference.now())
        + "'";
  }

  private static String count(int count, String of) {
    return count + " " + of + (count == 1 ? "" : "s");
  }
}
