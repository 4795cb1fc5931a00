package dev.ralph.cli.loop;

import dev.ralph.Session;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.SafeText;
import java.util.ArrayList;
import java.util.List;

/** The header of a run for a person: the state of the session and the limits of the run. */
final class BuildHeader {

  private static final List<String> LIMITS =
      List.of(
          "timeout",
          "time-limit",
          "max-cost",
          "max-tokens",
          "iteration-max-cost",
          "iteration-max-tokens");

  private BuildHeader() {}

  /**
   * Returns the lines of the header; empty unless the output is a terminal.
   *
   * @param tasks the number of completed tasks as text
   * @param iterations the iteration limit, or 0 for no limit
   */
  static List<String> lines(
      Invocation call, Session session, String store, String tasks, int iterations) {
    if (call.json() || !call.environment().out().isTerminal()) {
      return List.of();
    }
    return List.of(
        call.style().heading(session.name()) + " in " + SafeText.line(store),
        "  tasks: " + tasks + said(session),
        "  " + run(call.arguments(), iterations));
  }

  private static String said(Session session) {
    return count(session.inbox().unread().size(), "unread message")
        + count(session.questions().open().size(), "open question");
  }

  private static String count(int count, String what) {
    return count == 0 ? "" : ", " + count + " " + what + (count == 1 ? "" : "s");
  }

  private static String run(Arguments given, int iterations) {
    List<String> run = new ArrayList<>();
    run.add("agent: " + LoopAgents.describe(given));
    run.add(
        iterations == 0
            ? "no limit of iterations"
            : iterations + (iterations == 1 ? " iteration" : " iterations") + " at most");
    for (String limit : LIMITS) {
      if (given.has(limit)) {
        String why = AgentChoice.notInForce(given, limit);
        run.add(
            limit.replace('-', ' ')
                + " "
                + given.text(limit)
                + (why == null ? "" : " (not enforced " + why + ")"));
      }
    }
    for (String gate : given.values("gate")) {
      run.add("gate: " + SafeText.line(gate));
    }
    return String.join(", ", run);
  }
}
