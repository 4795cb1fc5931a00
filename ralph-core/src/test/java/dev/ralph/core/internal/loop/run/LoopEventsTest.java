package dev.ralph.core.internal.loop.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Control.Activity;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.core.internal.gate.GateResult;
import dev.ralph.core.internal.loop.policy.WaitNotice;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The message and the JSON of each event. */
class LoopEventsTest {

  private static final Gate GATE = Gate.named("tests", context -> Verdict.passed());

  private final List<LoopEvent> told = new ArrayList<>();
  private final LoopEvents events =
      new LoopEvents(
          "s",
          2,
          new Listeners(
              List.of(told::add), Clock.systemUTC(), Duration.ofSeconds(60), new Cancellation()));

  private static Arguments row(String message, String data, Consumer<LoopEvents> emit) {
    return Arguments.of(message, data, emit);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("loop started on session s", "{}", LoopEvents::loopStarted),
        row(
            "ended processes of an earlier run: 7, 8",
            "{'pids':[7,8]}",
            events -> events.orphansEnded(List.of(7L, 8L))),
        row(
            "iteration 3 started",
            "{}",
            events -> events.iterationStarted(3, Iteration.Role.BUILD, null, null)),
        row(
            "iteration 3 started",
            "{'role':'plan','task':'id'}",
            events -> events.iterationStarted(3, Iteration.Role.PLAN, "plan", "id")),
        row("a\ufffd", "{}", events -> events.output(3, "a\ud800")),
        row(
            "used so far: 1 tokens in, 2 out",
            "{'usage':{'input_tokens':1,'output_tokens':2}}",
            events -> events.used(3, Usage.of(1, 2, null))),
        row(
            "waiting for q1",
            "{'reason':'questions','open':['q1']}",
            events ->
                events.waiting(
                    3,
                    new WaitNotice(
                        "waiting for q1", Activity.Kind.QUESTIONS, null, List.of("q1")))),
        row("gate: tests", "{'name':'tests'}", events -> events.gateStarted(3, GATE)),
        row(
            "gate passed: tests",
            "{'name':'tests','passed':true}",
            events -> events.gateEnded(3, GateResult.of(GATE, Verdict.passed()))),
        row(
            "gate not run: tests",
            "{'name':'tests','passed':false}",
            events -> events.gateEnded(3, GateResult.without(GATE, GateResult.Kind.NOT_RUN, ""))),
        row(
            "completion refused: no",
            "{'reasons':['no\\nmore']}",
            events -> events.completionRefused(3, "no", List.of("no\nmore"))),
        row(
            "the work without a task is merged as 0123456789",
            "{'task':'','commit':'0123456789ab'}",
            events -> events.merged(null, "0123456789ab")),
        row(
            "the work without a task is done with no changes; nothing to merge",
            "{'task':''}",
            events -> events.merged(null, null)),
        row(
            "the work without a task was not merged: conflict",
            "{'task':'','reason':'conflict\\nin a'}",
            events -> events.sentBack("conflict\nin a")),
        row(
            "loop ended: stopped after 1 iteration: enough",
            "{'reason':'stopped','detail':'enough','iterations':1}",
            events ->
                events.loopEnded(3, new LoopResult(StopReason.STOPPED, 1, Usage.NONE, "enough"))));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void data_givesMessageAndJson(String message, String data, Consumer<LoopEvents> emit) {
    emit.accept(events);

    LoopEvent event = told.get(0);
    assertThat(event.message()).isEqualTo(message).isEqualTo(event.toString());
    assertThat(event.data().json()).isEqualTo(data.replace('\'', '"'));
    assertThat(event.session()).isEqualTo("s");
    assertThat(event.agent()).isEqualTo(2);
  }

  @Test
  void longQuestion_isCut() {
    try (Ralph ralph = Ralph.inMemory()) {
      events.asked(ralph.session("s").questions().ask("x".repeat(2_000), "agent", 0));
    }

    assertThat(told.get(0).message()).isEqualTo("question q1: " + "x".repeat(1_500) + "…");
    assertThat(told.get(0).data().json()).contains("\"length\":2000", "\"by\":\"agent\"");
  }

  @Test
  void returnedTask_isNamedByNumber() {
    try (Ralph ralph = Ralph.inMemory()) {
      Task task = ralph.session("s").tasks().add("Write the form");
      events.sentBack(task, 0);
      events.merged(task, null);
    }

    assertThat(told.get(0).message()).startsWith("t1 was not merged: ");
    assertThat(told.get(0).message()).endsWith("; not counted as an attempt");
    assertThat(told.get(1).message()).startsWith("t1 is done with no changes");
  }
}
