package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.RecordEntry;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.Turn;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
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
 * An agent that replays {@linkplain dev.ralph.IterationLog#record recorded} iterations without a
 * model: the agent prints the recorded output and repeats the recorded calls of session tools.
 * Calls of other tools, such as a shell, are not repeated. Each result has the recorded usage; an
 * iteration that was not successful becomes a failure.
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

  /**
   * Text with differences between runs: frame ids, their prefixes, the words derived from ids, and
   * times.
   */
  private static final Pattern VARIABLE =
      Pattern.compile(
          "(\\b0[0-9a-z]{7,24}\\b|(?<=session_complete with word |\"word\":\")[a-z]{6}\\b)"
              + "|\\b\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?");

  private static final String CUT = "…";

  /**
   * A difference between the recorded session and the replay.
   *
   * @param iteration the number of the recorded iteration, or 0 for a comparison after the last one
   * @param what the compared item, for example {@code call 3 of task_complete}, counted from 1 in
   *     the iteration
   * @param recorded the recorded value
   * @param now the value of the replay
   */
  public record Difference(int iteration, String what, String recorded, String now) {

    @Override
    public String toString() {
      return (iteration == 0 ? "" : "iteration " + iteration + ", ")
          + what
          + ": recorded was '"
          + recorded
          + "', now '"
          + now
          + "'";
    }
  }

  private final Session recorded;
  private final Consumer<? super RecordEntry> before;
  private final List<Iteration> iterations;
  private final List<Difference> differences = new CopyOnWriteArrayList<>();

  /** Ids of the replaying session by ids of the recorded session. */
  private final Map<String, String> ids = new HashMap<>();

  private int replayed;

  private ReplayAgent(Session recorded, Consumer<? super RecordEntry> before) {
    this.recorded = recorded;
    this.before = Objects.requireNonNull(before, "before");
    this.iterations = recorded.iterations().list();
  }

  /** Returns an agent that replays the iterations that the session has now. */
  public static ReplayAgent of(Session recorded) {
    return of(recorded, entry -> {});
  }

  /**
   * Returns an agent that replays the iterations that the session has now.
   *
   * @param before called by the agent's thread with each record entry before its replay, to repeat
   *     the actions of other parties
   */
  public static ReplayAgent of(Session recorded, Consumer<? super RecordEntry> before) {
    return new ReplayAgent(recorded, before);
  }

  /** Returns the results that differ from the record, in order. Ids and times are not compared. */
  public List<Difference> differences() {
    return List.copyOf(differences);
  }

  @Override
  public AgentResult run(Turn turn) {
    if (replayed == iterations.size()) {
      return AgentResult.fatal(
          "the session "
              + recorded.name()
              + " has "
              + replayed
              + " recorded iterations; iteration "
              + turn.iteration()
              + " needs one more");
    }
    Iteration iteration = iterations.get(replayed++);
    ToolSettings settings = // not those of the turn, which records calls by other ids
        ToolSettings.STANDARD
            .iteration(turn.iteration())
            .agent(turn.agent())
            .inLoop()
            .directory(turn.directory());
    try (AgentTools tools = turn.session().openTools(settings)) {
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

  /** The replay of an iteration. */
  private final class Play {
    private final Turn turn;
    private final AgentTools tools;
    private final int iteration;
    private final Set<String> names = new HashSet<>();

    /** Repeated calls by the id of the recorded call. */
    private final Map<String, RepeatedCall> calls = new HashMap<>();

    private record RepeatedCall(int number, String tool, AgentTools.Result result) {}

    Play(Turn turn, AgentTools tools, int iteration) {
      this.turn = turn;
      this.tools = tools;
      this.iteration = iteration;
      for (AgentTools.Definition definition : tools.definitions()) {
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
          RepeatedCall call = calls.get(string(entry, "id"));
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
          // recorded again unchanged
        }
      }
      turn.record(now);
    }

    private void call(RecordEntry entry) {
      String called = string(entry, "tool");
      // Clients prefix the tool name with the server's name and a separator.
      String name = called.replaceFirst("^.*ralph(__|_|\\.)", "");
      if (names.contains(name)) {
        Meta given = Objects.requireNonNullElse(entry.data().object("arguments"), Meta.empty());
        String arguments = withIds(given.json(), turn.session());
        calls.put(
            string(entry, "id"),
            new RepeatedCall(calls.size() + 1, name, tools.call(name, arguments)));
      }
    }

    private void compare(RepeatedCall call, RecordEntry entry) {
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
    return VARIABLE
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(ids.computeIfAbsent(found.group(), id -> idNow(id, now))));
  }

  /**
   * Maps an id that occurred in no result, and therefore in the prompt, by its task or message
   * number.
   */
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

  /** Compares two texts and maps recorded ids to the ids at the same places. */
  private boolean isSame(String then, String now) {
    Matcher recordedIds = VARIABLE.matcher(then);
    Matcher currentIds = VARIABLE.matcher(now);
    List<String> between = new ArrayList<>();
    List<String> betweenNow = new ArrayList<>();
    int from = 0;
    int fromNow = 0;
    while (recordedIds.find() && currentIds.find()) {
      between.add(then.substring(from, recordedIds.start()));
      betweenNow.add(now.substring(fromNow, currentIds.start()));
      from = recordedIds.end();
      fromNow = currentIds.end();
      boolean isId = recordedIds.group(1) != null;
      if (isId != (currentIds.group(1) != null)
          || isId
              && !ids.computeIfAbsent(recordedIds.group(), id -> currentIds.group())
                  .equals(currentIds.group())) {
        return false;
      }
    }
    return between.equals(betweenNow) && then.substring(from).equals(now.substring(fromNow));
  }
}
