package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.RalphException;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.tool.AgentInbox;
import dev.ralph.tool.ToolCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No loop is complete over the operator's word. */
@Timeout(120)
class LoopCompletionTest extends LoopFixture {

  private static final Duration LEASE = Duration.ofMinutes(1);

  @Test
  void aMessageSentInMidIterationIsReadBeforeTheAgentMayComplete() {
    List<String> refusals = new CopyOnWriteArrayList<>();
    Agent hasty =
        turn -> {
          session.inbox().send("Do the API first, please");
          try {
            turn.session().control().complete();
          } catch (RalphException e) {
            refusals.add(e.getMessage());
          }
          turn.session().inbox().markRead("m1");
          turn.session().control().complete();
          return AgentResult.success();
        };

    assertThat(loop(hasty).run().reason()).isEqualTo(StopReason.COMPLETED);

    assertThat(refusals).hasSize(1);
    assertThat(refusals.get(0)).contains("1 message is not read yet: m1 Do the API first, please");
  }

  @Test
  void aHostThatKnowsWhetherTheWorkIsDoneIsAskedInsteadOfTheAgent() {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger checks = new AtomicInteger();
    Agent neverClaims =
        turn -> {
          if (turn.iteration() == 1) {
            session.inbox().send("One more thing");
          } else {
            session.inbox().unread().forEach(message -> session.inbox().markRead(message.id()));
          }
          return AgentResult.success();
        };

    LoopResult result =
        loop(neverClaims)
            .doneWhen(
                s -> {
                  asked.incrementAndGet();
                  return s.iterations().last().isPresent();
                })
            .gate(
                Gate.named(
                    "third time",
                    context ->
                        checks.incrementAndGet() < 2
                            ? Verdict.failed("not yet")
                            : Verdict.passed()))
            .maxIterations(3)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(asked).as("before the first iteration, and after each").hasValue(4);
    assertThat(checks).as("not while a message is unread").hasValue(2);
    assertThat(prompts.get(1)).doesNotContain("COMPLETION REFUSED");
    assertThat(prompts.get(2)).contains("COMPLETION REFUSED").contains("not yet");
    assertThat(session.control().isCompleted()).isTrue();
  }

  @Test
  void aFinalGateIsRunOnlyOnceAllOthersHavePassed() {
    List<String> order = new CopyOnWriteArrayList<>();
    Gate check =
        Gate.named(
            "check",
            context -> {
              order.add("check");
              return order.size() < 2 ? Verdict.failed("not yet") : Verdict.passed();
            });
    Gate keep =
        Gate.named(
            "keep",
            context -> {
              order.add("keep");
              return order.size() < 4 ? Verdict.failed("the hook says no") : Verdict.passed();
            });
    LoopResult result =
        loop(turn -> AgentResult.success())
            .finalGate(keep)
            .gate(check)
            .doneWhen(s -> true)
            .maxIterations(5)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(order).containsExactly("check", "check", "keep", "check", "keep");
    assertThat(prompts.get(0)).contains("not yet").doesNotContain("keep");
    assertThat(prompts.get(1)).contains("the hook says no").doesNotContain("not yet");
  }

  @Test
  void workThatIsDoneAlreadyNeedsNoAgent() {
    session.tasks().complete(session.tasks().add("by hand").id());
    LoopResult result =
        loop(turn -> AgentResult.failure("not needed"))
            .doneWhen(s -> s.tasks().list().open().isEmpty())
            .gate(Gate.of("true"))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isZero();
  }

  @Test
  void whoStopsTheSessionWhileTheGatesRunStopsItBeforeTheAgentBegins() {
    LoopResult result =
        loop(turn -> AgentResult.failure("not needed"))
            .doneWhen(s -> true)
            .gate(
                Gate.named(
                    "tests",
                    context -> {
                      session.control().stop("enough");
                      return Verdict.failed("red");
                    }))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
    assertThat(result.iterations()).isZero();
  }

  @Test
  void aHostThatCannotSayWhetherTheWorkIsDoneIsAskedAgain() {
    AtomicInteger asked = new AtomicInteger();
    try (Loop loop =
        loop(turn -> AgentResult.success())
            .doneWhen(
                s -> {
                  if (asked.incrementAndGet() == 2) {
                    throw RalphException.io("no plan", new IOException());
                  }
                  return asked.get() > 2;
                })
            .build()) {
      assertThatThrownBy(loop::step).hasMessageContaining("no plan");
      assertThat(loop.step()).isEqualTo(Loop.Progress.ENDED);
      assertThat(loop.result().orElseThrow().iterations()).isEqualTo(1);
    }
  }

  @Test
  void aPlaceholderOfTheHostsIsFilledInAgainForEachIteration() {
    AtomicInteger filled = new AtomicInteger();
    LoopResult result =
        loop(turn -> AgentResult.success())
            .template("On {{ story }}:\n{{nothing}}\nof {{session}} {{inbox}}")
            .placeholder("story", () -> "story " + filled.incrementAndGet() + " {{tasks}}")
            .placeholder("nothing", () -> "")
            .maxIterations(2)
            .run();
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(prompts)
        .containsExactly("On story 1 {{tasks}}:\nof s \n", "On story 2 {{tasks}}:\nof s \n");

    assertThatThrownBy(
            () ->
                loop(turn -> AgentResult.success())
                    .template("{{storey}}")
                    .placeholder("story", () -> "")
                    .build())
        .hasMessageContaining("unknown placeholder '{{storey}}'")
        .hasMessageContaining("{{extra}}, {{story}}");
    assertThatThrownBy(
            () -> loop(turn -> AgentResult.success()).placeholder("tasks", () -> "").build())
        .hasMessageContaining("{{tasks}} is there already");
    assertThatThrownBy(
            () -> loop(turn -> AgentResult.success()).placeholder("a b", () -> "").build())
        .hasMessageContaining("letters, digits");
    assertThatThrownBy(
            () ->
                loop(turn -> AgentResult.success())
                    .template("{{story}}")
                    .placeholder("story", () -> null)
                    .run())
        .hasMessage("the text of the placeholder {{story}} is null; none is empty");
  }

  @Test
  void aMessageSentAfterTheClaimIsForTheNextIteration() {
    Agent agent =
        turn -> {
          if (turn.iteration() == 2) {
            turn.session().inbox().markRead("m1");
          }
          turn.session().control().complete();
          if (turn.iteration() == 1) {
            session.inbox().send(NewMessage.of("Then look at the logs").followUp(true));
          }
          return AgentResult.success();
        };

    LoopResult result = loop(agent).gate(Gate.of("true")).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).data().strings("reasons"))
        .singleElement()
        .asString()
        .startsWith("1 message is not read yet: m1 Then look at the logs;");
    assertThat(prompts.get(1)).contains("COMPLETION REFUSED").contains("Then look at the logs");
    assertThat(events.stream().filter(event -> event.type() == LoopEvent.Type.GATE))
        .as("a claim that can't be granted costs no gate")
        .hasSize(1);
  }

  @Test
  void aMessageSentWhileTheGatesRunIsForTheNextIteration() {
    AtomicInteger gates = new AtomicInteger();
    Agent agent =
        turn -> {
          turn.session().inbox().unread().forEach(m -> turn.session().inbox().markRead(m.id()));
          turn.session().control().complete();
          return AgentResult.success();
        };

    LoopResult result =
        loop(agent)
            .gate(Gate.of("true"))
            .onEvent(
                event -> {
                  // The last moment there is: the gate has passed, and the grant comes next.
                  if (event.type() == LoopEvent.Type.GATE && gates.incrementAndGet() == 1) {
                    session.inbox().send("One thing more");
                  }
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(prompts.get(1)).contains("One thing more");
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void aMessageThatTheAgentOfAFailedIterationWasShownIsNotHeard() {
    Agent agent =
        turn -> {
          AgentInbox inbox = turn.session().agentInbox();
          if (turn.iteration() > 1) {
            turn.session().inbox().markRead("m1");
            turn.session().control().complete();
            return AgentResult.success();
          }
          session.inbox().send("Careful");
          ToolCall shown = new ToolCall("agent", "1", Set.of()).in(1);
          assertThat(inbox.deliver(shown, LEASE)).hasSize(1);
          assertThatThrownBy(() -> turn.session().control().complete())
              .as("shown, and perhaps not seen")
              .hasMessageContaining("m1 Careful");
          inbox.acknowledge(new ToolCall("agent", "2", Set.of("1")).in(1));
          turn.session().control().complete();
          return AgentResult.failure("crash");
        };

    LoopResult result = loop(agent).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).message()).contains("m1 Careful");
  }

  @Test
  void aClaimFromBeforeTheRunIsRefusedOverAMessage() {
    session.control().complete();
    session.inbox().send("Not so fast");

    LoopResult result =
        loop(turn -> {
              turn.session().inbox().markRead("m1");
              turn.session().control().complete();
              return AgentResult.success();
            })
            .run();

    assertThat(result.iterations()).isEqualTo(1);
    assertThat(prompts.get(0)).contains("Not so fast").contains("COMPLETION REFUSED");
  }
}
