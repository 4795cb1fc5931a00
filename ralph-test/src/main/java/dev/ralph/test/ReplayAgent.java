package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.RecordEntry;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolDefinition;
import dev.ralph.tool.ToolResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An agent that does again what was {@linkplain dev.ralph.IterationLog#record recorded}, iteration
 * by iteration, without a model: it says the same, and makes the same calls of the session's tools.
 * Calls of other tools, such as a shell's, are not made again. It ends and has used what the
 * recorded one did; one that did not end well is a failure.
 *
 * <pre>{@code
 * ReplayAgent agent = ReplayAgent.of(recorded);
 * other.loop(agent).run();
 * assertThat(agent.differences()).isEmpty();
 * }</pre>
 *
 * <p>For one loop at a time.
 */
public final class ReplayAgent implements Agent {

  /** An id of a frame, or the beginning of one, or the word made of ids; or a time. */
  private static final Pattern NEVER_THE_SAME =
      Pattern.compile(
          "(\\b0[0-9a-z]{7,24}\\b|(?<=session_complete with word |\"word\":\")[a-z]{6}\\b)"
              + "|\\b\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?");

  private static final String CUT = "…";

  /**
   * What is not as it was recorded.
   *
   * @param iteration the number of the recorded one, or 0 for what is compared at the end
   * @param what such as {@code call 3 of task_complete}, counted from 1 in the iteration
   * @param recorded what it was then
   * @param now what it is now
   */
  public record Difference(int iteration, String what, String recorded, String now) {

    @Override
    public String toString() {
      return (iteration == 0 ? "" : "iteration " + iteration + ", ")
          + what
          + ": recorded was '"
          + recorded
          + "', and now it is '"
          + now
          + "'";
    }
  }

  private final Session recorded;
  private final Consumer<? super RecordEntry> before;
  private final List<Iteration> iterations;
  private final List<Difference> differences = new CopyOnWriteArrayList<>();

  /** What an id of the recorded session is in this one. */
  private final Map<String, String> ids = new HashMap<>();

  private int played;

  private ReplayAgent(Session recorded, Consumer<? super RecordEntry> before) {
    this.recorded = recorded;
    this.before = Objects.requireNonNull(before, "before");
    this.iterations = recorded.iterations().list();
  }

  /** Returns an agent that plays the iterations that this session has now. */
  public static ReplayAgent of(Session recorded) {
    return of(recorded, entry -> {});
  }

  /**
   * Returns such an agent that tells what it does.
   *
   * @param before is given each entry of the record before it is played, by the agent's thread, to
   *     do what others than the agent did meanwhile
   */
  public static ReplayAgent of(Session recorded, Consumer<? super RecordEntry> before) {
    return new ReplayAgent(recorded, before);
  }

  /** Returns where results were others than recorded, in order; ids and times count as the same. */
  public List<Difference> differences() {
    return List.copyOf(differences);
  }

  @Override
  public AgentResult run(Turn turn) {
    if (played == iterations.size()) {
      return AgentResult.fatal(
          "the session "
              + recorded.name()
              + " has "
              + played
              + " recorded iterations, and another one is needed");
    }
    Iteration iteration = iterations.get(played++);
    try (AgentTools tools = turn.openTools()) {
      Play play = new Play(turn, tools, iteration.number());
      recorded.iterations().record(iteration.number(), play::entry);
    }
    String summary = iteration.summary();
    AgentResult result =
        iteration.status() == Iteration.Status.SUCCESS
            ? AgentResult.success().summary(summary)
            : AgentResult.failure(
                Objects.requireNonNullElse(summary, "it was " + iteration.status().word()));
    return result.usage(iteration.usage());
  }

  /** One iteration. */
  private final class Play {
    private final Turn turn;
    private final AgentTools tools;
    private final int iteration;
    private final Set<String> names = new HashSet<>();

    /** What came of a call, by the recorded id of it. */
    private final Map<String, Made> made = new HashMap<>();

    private record Made(int number, String tool, ToolResult result) {}

    Play(Turn turn, AgentTools tools, int iteration) {
      this.turn = turn;
      this.tools = tools;
      this.iteration = iteration;
      for (ToolDefinition definition : tools.definitions()) {
        names.add(definition.name());
      }
    }

    void entry(RecordEntry entry) {
      before.accept(entry);
      RecordEntry now = new RecordEntry(entry.type(), entry.data(), null);
      switch (entry.type()) {
        case TEXT -> turn.output(string(entry, "text"));
        case TOOL_CALL -> call(entry);
        case TOOL_RESULT -> {
          Made call = made.get(string(entry, "id"));
          if (call != null) {
            compare(call, entry);
            now =
                RecordEntry.toolResult(
                    string(entry, "id"), call.result().isError(), call.result().text());
          }
        }
        case GAP ->
            differences.add(
                new Difference(iteration, "the record", "missing: " + string(entry, "reason"), ""));
        default -> {
          // Told again as it was.
        }
      }
      turn.record(now);
    }

    private void call(RecordEntry entry) {
      String called = string(entry, "tool");
      // Clients put the name of the server before it, and something between the two.
      String name = called.replaceFirst("^.*ralph(__|_|\\.)", "");
      if (names.contains(name)) {
        Meta given = Objects.requireNonNullElse(entry.data().object("arguments"), Meta.empty());
        String arguments = withIds(given.json(), turn.session());
        made.put(string(entry, "id"), new Made(made.size() + 1, name, tools.call(name, arguments)));
      }
    }

    private void compare(Made call, RecordEntry entry) {
      String then = string(entry, "text");
      String now =
          Redactor.builtIn()
              .redact(call.result().text())
              .replace(quoted(turn.session()), quoted(recorded));
      if (then.endsWith(CUT) && now.length() >= then.length()) {
        now = now.substring(0, then.length() - 1) + CUT;
      }
      if (call.result().isError() != entry.data().isTrue("failed") || !isSame(then, now)) {
        String what = "call " + call.number() + " of " + call.tool();
        differences.add(new Difference(iteration, what, then, now));
      }
    }

    private static String quoted(Session session) {
      return '"' + session.name() + '"';
    }

    private static String string(RecordEntry entry, String name) {
      return Objects.requireNonNullElse(entry.string(name), "");
    }
  }

  private String withIds(String text, Session now) {
    return NEVER_THE_SAME
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(ids.computeIfAbsent(found.group(), id -> idNow(id, now))));
  }

  /** An id that no result had stood in the prompt: it is that of the same number now. */
  private String idNow(String id, Session now) {
    try {
      return now.tasks().get("t" + recorded.tasks().get(id).number()).id();
    } catch (RalphException noTask) {
      return messageNow(id, now);
    }
  }

  private String messageNow(String id, Session now) {
    try {
      return now.inbox().get("m" + recorded.inbox().get(id).number()).id();
    } catch (RalphException noMessage) {
      return id;
    }
  }

  /** Compares texts, and learns which id stands for which. */
  private boolean isSame(String then, String now) {
    Matcher one = NEVER_THE_SAME.matcher(then);
    Matcher other = NEVER_THE_SAME.matcher(now);
    List<String> between = new ArrayList<>();
    List<String> betweenNow = new ArrayList<>();
    int from = 0;
    int fromNow = 0;
    while (one.find() && other.find()) {
      between.add(then.substring(from, one.start()));
      betweenNow.add(now.substring(fromNow, other.start()));
      from = one.end();
      fromNow = other.end();
      boolean isId = one.group(1) != null;
      if (isId != (other.group(1) != null)
          || isId && !ids.computeIfAbsent(one.group(), id -> other.group()).equals(other.group())) {
        return false;
      }
    }
    return between.equals(betweenNow) && then.substring(from).equals(now.substring(fromNow));
  }
}
