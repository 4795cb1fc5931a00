package dev.ralph.web.internal.page;

import dev.ralph.RecordEntry;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Facts from the records of a session's iterations that the session's state lacks: clients and
 * models, their usage, the last result of each gate, and running tool calls. A fold of the topic
 * {@code ralph.NAME.record}.
 */
final class RecordTally {

  /** The most gates. No session has more gates, so further names are untrusted input. */
  private static final int MOST_GATES = 50;

  private static final int MOST_CALLS = 50;
  private static final int LONGEST_CALL = 600;
  private static final int LONGEST_REASON = 8_000;

  /**
   * The last run of a gate.
   *
   * @param failures the number of failures in a row, 0 if the gate passed
   * @param time the time of the run, or null if unknown
   */
  record GateRun(
      String name,
      boolean passed,
      @Nullable Long exitCode,
      String reason,
      int iteration,
      int failures,
      @Nullable String time) {}

  /**
   * A running tool call.
   *
   * @param arguments the arguments as one line
   * @param time the start, or null if unknown
   */
  record Call(String tool, String arguments, @Nullable String time) {}

  /**
   * The facts at one moment.
   *
   * @param origins the facts of iterations by number
   * @param gates the gates by name
   * @param calls the calls by the iteration's number and the call's id
   * @param saying the model's last message in each running iteration, by number
   */
  record Result(
      Map<Integer, WorkOrigin> origins,
      Map<String, GateRun> gates,
      Map<Integer, Map<String, Call>> calls,
      Map<Integer, String> saying) {

    static final Result NOTHING = new Result(Map.of(), Map.of(), Map.of(), Map.of());

    WorkOrigin origin(int iteration) {
      return origins.getOrDefault(iteration, WorkOrigin.NOTHING);
    }
  }

  static final Fold<RecordTally, Result> FOLD =
      Fold.of(
          "ralph.page.record",
          1,
          RecordTally::new,
          RecordTally::frame,
          RecordTally::result,
          new TallyCodec());

  private final TreeMap<Integer, WorkOrigin> work = new TreeMap<>();
  private final Map<String, GateRun> gates = new LinkedHashMap<>();
  private final Map<Integer, Map<String, Call>> calls = new TreeMap<>();
  private final Map<Integer, String> saying = new TreeMap<>();

  RecordTally() {}

  private void frame(Frame frame) {
    int iteration = (int) frame.meta().integer("iteration").orElse(0);
    if (iteration <= 0) {
      return;
    }
    if (frame.meta().has("type")) {
      RecordEntry.of(frame.meta()).ifPresent(entry -> entry(iteration, entry));
    } else {
      frame.content().lines().forEach(line -> line(iteration, line));
    }
  }

  private void line(int iteration, String line) {
    try {
      RecordEntry.of(Meta.parse(line)).ifPresent(entry -> entry(iteration, entry));
    } catch (RalphException notWrittenHere) {
      // The other lines of the content may be valid.
    }
  }

  private void entry(int iteration, RecordEntry entry) {
    WorkOrigin now = work.getOrDefault(iteration, WorkOrigin.NOTHING);
    WorkOrigin with = now.with(entry);
    if (with != now) {
      work.put(iteration, with);
    }
    switch (entry.type()) {
      case BEGIN, END -> {
        calls.remove(iteration);
        saying.remove(iteration);
      }
      case TEXT -> saying.put(iteration, PageJson.cut(text(entry, "text"), LONGEST_CALL));
      case TOOL_CALL -> call(iteration, entry);
      case TOOL_RESULT -> {
        Map<String, Call> open = calls.get(iteration);
        if (open != null) {
          open.remove(text(entry, "id"));
        }
      }
      case GATE -> gate(iteration, entry);
      default -> {
        // Other entries are shown in the conversation only.
      }
    }
  }

  private void call(int iteration, RecordEntry entry) {
    Map<String, Call> open = calls.computeIfAbsent(iteration, any -> new LinkedHashMap<>());
    if (open.size() < MOST_CALLS) {
      Meta arguments = Objects.requireNonNullElse(entry.data().object("arguments"), Meta.empty());
      open.put(
          text(entry, "id"),
          new Call(
              PageJson.cut(text(entry, "tool"), LONGEST_CALL),
              ToolCallText.of(arguments),
              time(entry)));
    }
  }

  private void gate(int iteration, RecordEntry entry) {
    String name = PageJson.cut(text(entry, "name"), LONGEST_CALL);
    GateRun before = gates.remove(name);
    if (gates.size() < MOST_GATES) {
      boolean passed = entry.data().isTrue("passed");
      long code = entry.data().integer("exit_code").orElse(-1);
      gates.put(
          name,
          new GateRun(
              name,
              passed,
              code < 0 ? null : code,
              PageJson.cut(text(entry, "reason"), LONGEST_REASON),
              iteration,
              passed ? 0 : before == null ? 1 : before.failures + 1,
              time(entry)));
    }
  }

  private static String text(RecordEntry entry, String name) {
    return Objects.requireNonNullElse(entry.string(name), "");
  }

  private static @Nullable String time(RecordEntry entry) {
    return entry.time() == null ? null : PageJson.time(entry.time());
  }

  Map<Integer, WorkOrigin> origins() {
    return work;
  }

  Map<String, GateRun> gates() {
    return gates;
  }

  Map<Integer, Map<String, Call>> calls() {
    return calls;
  }

  Map<Integer, String> saying() {
    return saying;
  }

  private Result result() {
    Map<Integer, Map<String, Call>> open = new TreeMap<>();
    calls.forEach((iteration, each) -> open.put(iteration, new LinkedHashMap<>(each)));
    return new Result(new TreeMap<>(work), new LinkedHashMap<>(gates), open, new TreeMap<>(saying));
  }
}
