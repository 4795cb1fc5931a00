package dev.ralph.cli.session;

import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import dev.ralph.test.ReplayAgent;
import dev.ralph.test.ReplayAgent.Difference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Replays the iterations of a session from their record in another session. A {@link ReplayAgent}
 * repeats the agent's tool calls. The gates repeat their recorded verdicts, and {@linkplain
 * ReplayInputs other inputs} follow at the same place. The replay uses only the store.
 */
final class Replay {

  private static final String OUTPUT = "Its last lines:\n";

  private final Session recorded;
  private final Session now;
  private final List<Iteration> iterations;
  private final ReplayInputs arrivals;
  private final ReplayAgent agent;

  /** Modified by threads of the agent and of gates too, for which the loop waits. */
  private final List<Difference> differences = new ArrayList<>();

  /** The numbers of iterations whose agent changed the session without recorded tool calls. */
  private final List<Integer> withoutCalls = new ArrayList<>();

  /** The number of iterations begun. */
  private int begun;

  Replay(FrameLog log, Session recorded, Session now) {
    this.recorded = recorded;
    this.now = now;
    this.iterations = recorded.iterations().list();
    this.arrivals = new ReplayInputs(log, recorded, now);
    this.agent = ReplayAgent.of(recorded, this::arrive);
  }

  int iterations() {
    return iterations.size();
  }

  /**
   * Returns the numbers of replayed iterations whose agent changed the session without recorded
   * tool calls: a command agent calls {@code ralph}, which a replay does not repeat.
   */
  List<Integer> withoutCalls() {
    return withoutCalls;
  }

  /** Replays all iterations, and returns the differences in order. */
  List<Difference> run() {
    for (Iteration iteration : iterations) {
      begun++;
      arrive(Instant.MIN);
      int before = agent.differences().size();
      int place = differences.size();
      Loop.Builder loop = now.loop(agent).maxIterations(1).maxFailures(1);
      List<RecordEntry> judged = new ArrayList<>();
      Set<RecordEntry.Type> types = readRecord(iteration, judged);
      if (arrivals.isChangedByAgent(begun) && !types.contains(RecordEntry.Type.TOOL_CALL)) {
        withoutCalls.add(iteration.number());
      }
      for (String name : new LinkedHashSet<>(judged.stream().map(Replay::name).toList())) {
        loop.gate(Gate.named(name, context -> verdict(name, judged)));
      }
      LoopResult result = loop.run();
      List<Difference> ofCalls = agent.differences();
      differences.addAll(place, ofCalls.subList(before, ofCalls.size()));
      if (result.iterations() == 0) {
        differ("the iteration", "run", "not run: " + result);
        return differences;
      }
      for (RecordEntry left : judged) {
        differ("gate " + name(left), words(left), "not run");
      }
    }
    arrive(Instant.MAX);
    compareEnds();
    return differences;
  }

  /**
   * Reads the record of an iteration.
   *
   * @param judged gets the recorded verdicts, in order
   * @return the types of all entries
   */
  private Set<RecordEntry.Type> readRecord(Iteration iteration, List<RecordEntry> judged) {
    Set<RecordEntry.Type> types = EnumSet.noneOf(RecordEntry.Type.class);
    recorded
        .iterations()
        .record(
            iteration.number(),
            entry -> {
              types.add(entry.type());
              if (entry.type() == RecordEntry.Type.GATE) {
                judged.add(entry);
              }
            });
    return types;
  }

  private void arrive(RecordEntry entry) {
    if (entry.type() != RecordEntry.Type.GATE && entry.time() != null) { // gates run later
      arrive(entry.time());
    }
  }

  /** Writes the inputs of the current iteration before a time. */
  private void arrive(Instant time) {
    boolean more = true;
    while (more) {
      try {
        more = arrivals.writeNext(begun, time);
      } catch (RalphException e) {
        differ("external input", "written", String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * @param left the unused verdicts of the iteration
   */
  private Verdict verdict(String gate, List<RecordEntry> left) {
    for (RecordEntry entry : left) {
      if (name(entry).equals(gate)) {
        left.remove(entry);
        arrive(Objects.requireNonNullElse(entry.time(), Instant.MIN));
        return verdict(entry);
      }
    }
    differ("gate " + gate, "not run again", "run");
    return Verdict.failed("no result of this gate was recorded");
  }

  private static Verdict verdict(RecordEntry entry) {
    String reason = Objects.requireNonNullElse(entry.string("reason"), "");
    int code = (int) entry.data().integer("exit_code").orElse(0);
    if (entry.data().isTrue("passed")) {
      return Verdict.passed();
    }
    return code == 0
        ? Verdict.failed(reason)
        : Verdict.ofExit(code, reason.startsWith(OUTPUT) ? reason.substring(OUTPUT.length()) : "");
  }

  private static String name(RecordEntry gate) {
    return Objects.requireNonNullElse(gate.string("name"), "");
  }

  private static String words(RecordEntry gate) {
    return gate.data().isTrue("passed") ? "passed" : "failed";
  }

  private void compareEnds() {
    Map<Integer, String> then = tasks(recorded);
    Map<Integer, String> after = tasks(now);
    TreeMap<Integer, String> all = new TreeMap<>(then);
    all.putAll(after);
    for (int number : all.keySet()) {
      compare("t" + number + " at the end", then.get(number), after.get(number));
    }
    compare("the session at the end", state(recorded), state(now));
  }

  private static Map<Integer, String> tasks(Session session) {
    Map<Integer, String> tasks = new TreeMap<>();
    for (Task task : session.tasks().list()) {
      tasks.put(task.number(), task.status().word() + ": " + task.content());
    }
    return tasks;
  }

  private static String state(Session session) {
    return session.control().isCompleted() ? "complete" : "not complete";
  }

  private void compare(String what, @Nullable String then, @Nullable String after) {
    if (!Objects.equals(then, after)) {
      differences.add(
          new Difference(
              0,
              what,
              Objects.requireNonNullElse(then, "missing"),
              Objects.requireNonNullElse(after, "missing")));
    }
  }

  private void differ(String what, String then, String after) {
    differences.add(new Difference(iterations.get(begun - 1).number(), what, then, after));
  }
}
