package dev.ralph.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Control;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.cli.terminal.Style;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The lines of {@code ralph build}, computed from events. */
class BuildLinesTest {

  private static final Instant BEGAN = Instant.parse("2026-01-31T09:05:00Z");
  private static final BuildLines.Tasks NO_TASKS = new BuildLines.Tasks(null, "", null);
  private static final String FAILED = "'sh' ended with exit code 3; its last lines:\none\ntwo";

  private static BuildLines lines(boolean isTerminal) {
    BuildLines.Run run =
        new BuildLines.Run(
            "s", " -n s", List.of("agent: sh"), "continue", isTerminal, Style.plain());
    return new BuildLines(run, new BuildStatus(5, false, BEGAN));
  }

  private static LoopEvent head(LoopEvent.Type type, int agent, String message) {
    Instant time = BEGAN.plusSeconds(65);
    return LoopEvent.of(type, "s", time, 7, agent, message, Meta.empty());
  }

  private static LoopEvent started(int agent, Iteration.Role role) {
    return new LoopEvent.IterationStarted(
        head(LoopEvent.Type.ITERATION_STARTED, agent, ""), role, null);
  }

  private static LoopEvent said(int agent, String text) {
    return head(LoopEvent.Type.OUTPUT, agent, text);
  }

  private static LoopEvent ended(int agent, Iteration.Status status, String summary) {
    Usage usage = Usage.of(1_200, 300, null);
    return new LoopEvent.IterationEnded(
        head(LoopEvent.Type.ITERATION_ENDED, agent, ""),
        status,
        summary,
        Duration.ofSeconds(61),
        usage);
  }

  private static LoopEvent gateStarted() {
    LoopEvent now = head(LoopEvent.Type.GATE_STARTED, 0, "gate: mvn");
    Instant earlier = now.time().minusSeconds(3);
    return new LoopEvent.GateStarted(
        LoopEvent.of(now.type(), "s", earlier, 7, 0, now.message(), Meta.empty()), Gate.of("mvn"));
  }

  private static LoopEvent gate(Verdict verdict) {
    return new LoopEvent.GateEnded(
        head(LoopEvent.Type.GATE, 0, "gate: mvn"), Gate.of("mvn"), verdict);
  }

  private static LoopEvent refused(String reason) {
    return new LoopEvent.CompletionRefused(
        head(LoopEvent.Type.COMPLETION_REFUSED, 0, "completion refused: gate"), List.of(reason));
  }

  private static LoopEvent waiting(Control.Activity.Kind kind, String... questions) {
    LoopEvent head = head(LoopEvent.Type.WAITING, 0, "waiting");
    return new LoopEvent.Waiting(head, kind, null, List.of(questions));
  }

  private static Arguments row(String pipe, String terminal, LoopEvent... events) {
    return Arguments.of(pipe, terminal, List.of(events));
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row(
            "s - Iteration #7...",
            "s - Iteration #7... 1m05s, 1 of 2 tasks done",
            started(0, Iteration.Role.BUILD)),
        row(
            "s - Iteration #7 (plan), agent 2...",
            "s - Iteration #7 (plan), agent 2... 1m05s, 1 of 2 tasks done",
            started(2, Iteration.Role.PLAN)),
        same("  one\n  two", said(0, "one\ntwo")),
        same("  3| one\n  3| two", said(3, "one\n\u001b[2Jtwo")),
        row(
            "Done!\n",
            "Done! 1m01s, 1 of 2 tasks done, 1.5k tokens\n",
            ended(0, Iteration.Status.SUCCESS, "one")),
        row(
            "agent 2: Rate limited: until noon\n",
            "agent 2: Rate limited: until noon 1m01s, 1 of 2 tasks done, 1.5k tokens\n",
            ended(2, Iteration.Status.RATE_LIMITED, "until noon")),
        // lines that the agent printed are not repeated
        pipe("Failed: " + FAILED.replace("\n", "\n  ") + "\n", failed(0)),
        pipe(
            "  one\nFailed: 'sh' ended with exit code 3; its last lines:\n  two\n",
            said(0, "one"),
            failed(0)),
        pipe("  one\n  two\nFailed: 'sh' ended with exit code 3\n", said(0, "one\ntwo"), failed(0)),
        pipe(
            "  one\n  two\ns - Iteration #7...\nFailed: " + FAILED.replace("\n", "\n  ") + "\n",
            said(0, "one\ntwo"),
            started(0, Iteration.Role.BUILD),
            failed(0)),
        pipe(
            "  a long line\nTimed out: no answer\n",
            said(0, "a long line"),
            ended(0, Iteration.Status.TIMEOUT, "no answer\na lon…")),
        pipe("Failed\n", ended(0, Iteration.Status.FAILURE, null)),
        pipe("Failed: to do:\n", ended(0, Iteration.Status.FAILURE, "to do:")),
        // gates
        row("gate: mvn", "gate: mvn 3.0s", gateStarted(), gate(Verdict.passed())),
        same("gate: mvn", gate(Verdict.passed())),
        same("", gateStarted(), gate(Verdict.failed("bad"))),
        same("completion refused: gate\n  bad", refused("gate\nbad")),
        same(
            "completion refused: gate\n  bad\ncompletion refused: gate",
            refused("gate\nbad"),
            refused("gate\nbad")),
        same(
            "completion refused: gate\n  bad\ncompletion refused: gate\n  worse",
            refused("gate\nbad"),
            refused("gate\nworse")),
        // other events
        same("waiting", waiting(Control.Activity.Kind.FAILURE)),
        same(
            "waiting (ralph answer -n s q2 TEXT)",
            waiting(Control.Activity.Kind.QUESTIONS, "q2", "q3")),
        same("read", head(LoopEvent.Type.MESSAGE_READ, 0, "read")),
        same("agent 2: careful", head(LoopEvent.Type.NOTICE, 2, "careful")),
        same(
            "t1 was not merged\n  a conflict",
            new LoopEvent.SentBack(
                head(LoopEvent.Type.SENT_BACK, 0, "t1 was not merged"), "1", "no\na conflict")),
        same("", new LoopEvent.Used(head(LoopEvent.Type.USAGE, 0, "used"), Usage.NONE)));
  }

  private static LoopEvent failed(int agent) {
    return ended(agent, Iteration.Status.FAILURE, FAILED);
  }

  private static Arguments same(String lines, LoopEvent... events) {
    return row(lines, lines, events);
  }

  private static Arguments pipe(String lines, LoopEvent... events) {
    return row(lines, null, events);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void events_areRenderedAsLines(String pipe, String terminal, List<LoopEvent> events) {
    assertThat(rendered(lines(false), events)).isEqualTo(pipe);
    if (terminal != null) {
      assertThat(rendered(lines(true), events)).isEqualTo(terminal);
    }
  }

  private static String rendered(BuildLines lines, List<LoopEvent> events) {
    List<String> all = new ArrayList<>();
    for (LoopEvent event : events) {
      lines.note(event);
      all.add(lines.of(event, new BuildLines.Tasks(null, "1 of 2 tasks done", null)));
    }
    all.removeIf(String::isEmpty);
    return String.join("\n", all);
  }

  @Test
  void assignment_isNamedByNumber() {
    try (Ralph ralph = Ralph.inMemory()) {
      String id = ralph.session("s").tasks().add("Write the form").id();
      LoopEvent event =
          new LoopEvent.IterationStarted(
              head(LoopEvent.Type.ITERATION_STARTED, 2, ""), Iteration.Role.BUILD, id);
      BuildLines.Tasks tasks = BuildLines.Tasks.of(ralph.session("s").tasks().list(), List.of());

      assertThat(lines(false).of(event, tasks)).isEqualTo("s - Iteration #7, agent 2 (t1)...");
      assertThat(lines(false).of(event, NO_TASKS)).isEqualTo("s - Iteration #7, agent 2...");
    }
  }

  @Test
  void unreadMessages_areNamedAfterTheTasks() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      session.tasks().complete(session.tasks().add("Write the form").id());
      session.inbox().send("Do the API first");
      session.inbox().send("Use less colour");

      assertThat(BuildLines.Tasks.of(session.tasks().list(), session.inbox().unread()).done())
          .isEqualTo("1 of 1 tasks done, unread: m1, m2");
    }
  }

  @Test
  void header_isPrintedOnce() {
    BuildLines lines = lines(false);

    assertThat(lines.started("Story 1")).isEqualTo("agent: sh\n\nStory 1");
    assertThat(lines.started("Story 2")).isEqualTo("Story 2");
    assertThat(lines(false).started(null)).isEqualTo("agent: sh\n");
  }

  private static List<String> next(StopReason reason, boolean isHidden, boolean isUndeclared) {
    BuildLines lines = lines(false);
    lines.note(failed(0));
    return lines.next(reason, List.of("work"), isHidden, isUndeclared);
  }

  @Test
  void nextCommands_dependOnReason() {
    assertThat(next(StopReason.COMPLETED, true, true)).containsExactly("work");
    assertThat(next(StopReason.FAILURES, false, false)).containsExactly("work", "continue");
    assertThat(next(StopReason.MAX_ITERATIONS, true, true))
        .containsExactly(
            "work",
            "exit code 5",
            "to see why: ralph iterations -n s --transcript 7",
            "to declare completion: ralph complete -n s",
            "continue");
    assertThat(next(StopReason.STORE_FAILED, false, true))
        .containsExactly(
            "work",
            "to see why: ralph doctor",
            "all tasks are done, but nobody declared completion;"
                + " to declare completion: ralph complete -n s",
            "continue");
  }

  private static String end(
      boolean isTerminal, StopReason reason, String detail, LoopEvent... events) {
    BuildLines lines = lines(isTerminal);
    Arrays.asList(events).forEach(event -> lines.of(event, NO_TASKS));
    RunSummary summary =
        new RunSummary(null, events.length, Duration.ofSeconds(3), Usage.NONE, null);
    LoopResult result = new LoopResult(reason, events.length, Usage.NONE, detail);
    return lines.ended(result, summary, List.of("one", "two"));
  }

  @Test
  void end_doesNotRepeatFailure() {
    LoopEvent failed = ended(0, Iteration.Status.FAILURE, "no luck");

    assertThat(end(false, StopReason.FAILURES, "the iteration failed: no luck", failed))
        .isEqualTo(
            "s: 1 iteration, 3.0s\n"
                + "s: loop ended: failures after 1 iteration: the iteration failed; one; two");
    assertThat(end(true, StopReason.FAILURES, "no luck", failed))
        .isEqualTo(
            "s: loop ended: failures after 1 iteration\n  run: 1 iteration, 3.0s\n  one\n  two");
    assertThat(end(false, StopReason.FAILURES, "no disk", failed)).contains(": no disk; one");
    assertThat(end(false, StopReason.STORE_FAILED, "no space"))
        .isEqualTo("s: loop ended: store_failed after 0 iterations; one; two");
    assertThat(end(false, StopReason.STOPPED, null)).endsWith("after 0 iterations; one; two");
  }
}
