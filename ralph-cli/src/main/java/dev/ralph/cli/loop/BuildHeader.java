package dev.ralph.cli.loop;

import dev.ralph.Session;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.SafeText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
   * The facts of a run that the header shows.
   *
   * @param store the location of the store
   * @param tasks the numbers of tasks as text
   * @param spec the use of a spec as text
   * @param permissions the permissions of the agents as text
   * @param iterations the iteration limit, or 0 for no limit
   */
  record Facts(String store, String tasks, String spec, String permissions, int iterations) {}

  /** Returns the lines of the header; empty unless the output is a terminal. */
  static List<String> lines(Invocation call, Session session, Facts facts) {
    if (call.json() || !call.environment().out().isTerminal()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add(call.style().heading(session.name()) + " in " + SafeText.line(facts.store()));
    lines.add("  tasks: " + facts.tasks() + unreadAndOpen(session));
    lines.add("  spec: " + facts.spec());
    lines.add("  agent: " + LoopAgents.describe(call.arguments()));
    lines.add("  permissions: " + facts.permissions());
    lines.add("  limits: " + limits(call.arguments(), facts.iterations()));
    for (String gate : call.arguments().values("gate")) {
      lines.add("  gate: " + SafeText.line(gate));
    }
    return lines;
  }

  /**
   * Returns the use of a spec as text.
   *
   * @param spec the spec, or null
   * @param isOwnPrompt true if the user's prompt replaces the template
   */
  static String spec(Invocation call, @Nullable Path spec, boolean isOwnPrompt) {
    if (spec != null) {
      Path folder = call.environment().directory();
      Path shown = spec.startsWith(folder) ? folder.relativize(spec) : spec;
      return SafeText.line(shown.toString()) + "; complete after an agent declares completion";
    }
    return isOwnPrompt
        ? "none; the prompt describes the work"
        : "none (no specs/SPEC.md); work from tasks and messages";
  }

  private static String unreadAndOpen(Session session) {
    return count(session.inbox().unread().size(), "unread message")
        + count(session.questions().open().size(), "open question");
  }

  private static String count(int count, String what) {
    return count == 0 ? "" : ", " + count + " " + what + (count == 1 ? "" : "s");
  }

  private static String limits(Arguments given, int iterations) {
    List<String> run = new ArrayList<>();
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
    return String.join(", ", run);
  }
}
