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
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.tool.AgentTools;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No loop completes while messages of the operator are unread. */
@Timeout(120)
class LoopCompletionTest extends LoopFixture {

  private static final Duration LEASE = Duration.ofMinutes(1);

  @Test
  void messageDuringIteration_blocksCompletionUntilRead() {
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
  void doneWhen_completesWithoutAClaimOfTheAgent() {
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
    assertThat(asked).as("before the first iteration and after each").hasValue(4);
    assertThat(checks).as("no check while a message is unread").hasValue(2);
    assertThat(prompts.get(1)).doesNotContain("COMPLETION REFUSED");
    assertThat(prompts.get(2)).contains("COMPLETION REFUSED").contains("not yet");
    assertThat(session.control().isCompleted()).isTrue();
  }

  @Test
  void pause_isReportedOnceDespiteAClaim() {
    session.control().pause();
    AtomicInteger waits = new AtomicInteger();

    LoopResult result =
        loop(turn -> AgentResult.success())
            .gate(Gate.named("check", context -> Verdict.failed("not yet")))
            .timeLimit(Duration.ofSeconds(1))
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.WAITING && waits.incrementAndGet() == 1) {
                    session.control().complete();
                  }
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
    assertThat(types()).contains(LoopEvent.Type.COMPLETION_REFUSED);
    assertThat(waits).hasValue(1);
  }

  @Test
  void finalGate_runsAfterAllGatesPassed() {
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
  void completedWork_needsNoAgent() {
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
  void stopDuringGates_preventsTheFirstIteration() {
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
  void failedDoneWhen_isAskedAgain() {
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
      assertThat(loop.step()).isFalse();
      assertThat(loop.result().orElseThrow().iterations()).isEqualTo(1);
    }
  }

  @Test
  void placeholder_isFilledForEachIteration() {
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
        .hasMessageContaining("{{tasks}} already exists");
    assertThatThrownBy(
            () -> loop(turn -> AgentResult.success()).placeholder("a b", () -> "").build())
        .hasMessageContaining("letters, digits");
    assertThatThrownBy(
            () ->
                loop(turn -> AgentResult.success())
                    .template("{{story}}")
                    .placeholder("story", () -> null)
                    .run())
        .hasMessage("the text of the placeholder {{story}} is null; use an empty text for none");
  }

  @Test
  void messageAfterClaim_needsANextIteration() {
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
        .as("no gate runs for a claim that can't be granted")
        .hasSize(1);
  }

  @Test
  void messageDuringGates_needsANextIteration() {
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
                  // The latest possible moment: the gate has passed, and the grant comes next.
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
  void claimWithdrawnDuringGates_isNotRefused() {
    LedgerControl control = (LedgerControl) session.control();
    AtomicInteger gates = new AtomicInteger();
    LoopResult result =
        loop(turn -> {
              turn.session().control().complete();
              return AgentResult.success();
            })
            .gate(
                Gate.named(
                    "tests",
                    context -> {
                      if (gates.incrementAndGet() == 1) {
                        control.refuseCompletion(List.of("said by another program"));
                      }
                      return Verdict.passed();
                    }))
            .run();

    assertThat(result).hasToString("completed after 2 iterations");
    assertThat(types()).doesNotContain(LoopEvent.Type.COMPLETION_REFUSED);
  }

  @Test
  void pendingClaim_isJudgedAgain() {
    int judgedAgain = 0;
    for (int looks = 1; looks <= 40; looks++) {
      JumpingClock clock = new JumpingClock();
      List<LoopEvent.Type> told = new CopyOnWriteArrayList<>();
      AtomicInteger gates = new AtomicInteger();
      int jump = looks;
      try (Ralph jumping = Ralph.builder().store("memory").clock(clock).open()) {
        LoopResult result =
            jumping
                .session("s")
                .loop(
                    turn -> {
                      turn.session().control().complete();
                      return AgentResult.success();
                    })
                .gate(
                    Gate.named(
                        "tests",
                        context -> {
                          if (gates.incrementAndGet() == 1) {
                            sendWithADeadline(jumping, clock.instant().plusSeconds(1));
                            clock.jumpAfter(jump);
                          }
                          return Verdict.passed();
                        }))
                .onEvent(event -> told.add(event.type()))
                .maxIterations(1)
                .run();
        boolean refused = told.contains(LoopEvent.Type.COMPLETION_REFUSED);
        assertThat(result.reason())
            .as("deadline passes after %d reads of the clock", looks)
            .isEqualTo(refused ? StopReason.MAX_ITERATIONS : StopReason.COMPLETED);
        judgedAgain += gates.get() > 1 ? 1 : 0;
      }
    }
    assertThat(judgedAgain).as("claims judged again after the message expired").isPositive();
  }

  private static void sendWithADeadline(Ralph ralph, Instant deadline) {
    Meta meta = Meta.of("status", "unread").with("deadline", deadline.toString());
    Draft message = Draft.of(Topic.of("ralph.s.inbox"), meta, "soon too late");
    ralph.log().append(Batch.of("message", List.of(message)));
  }

  /** A clock that jumps one hour ahead after a number of reads. */
  private static final class JumpingClock extends Clock {

    private final AtomicInteger looksLeft = new AtomicInteger(Integer.MAX_VALUE);

    void jumpAfter(int looks) {
      looksLeft.set(looks);
    }

    @Override
    public Instant instant() {
      Instant begin = Instant.parse("2026-01-31T09:05:00Z");
      return looksLeft.getAndDecrement() > 0 ? begin : begin.plusSeconds(3_600);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @Test
  void messageShownInFailedIteration_staysUnread() {
    Agent agent =
        turn -> {
          AgentInbox inbox = AgentInbox.of(turn.session());
          if (turn.iteration() > 1) {
            turn.session().inbox().markRead("m1");
            turn.session().control().complete();
            return AgentResult.success();
          }
          session.inbox().send("Careful");
          AgentInbox.Call shown = new AgentInbox.Call("agent", "1", Set.of()).in(1);
          assertThat(inbox.deliver(shown, LEASE)).hasSize(1);
          assertThatThrownBy(() -> turn.session().control().complete())
              .as("shown, but not acknowledged")
              .hasMessageContaining("m1 Careful");
          inbox.acknowledge(
              new AgentInbox.Call("agent", "2", Set.of("1")).in(1),
              List.of(turn.session().inbox().get("m1").id()));
          turn.session().control().complete();
          return AgentResult.failure("crash");
        };

    LoopResult result = loop(agent).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).message()).contains("m1 Careful");
  }

  /** Returns an agent that claims completion in each turn and ignores the refusal. */
  private Agent hastyWithTools() {
    return turn -> {
      try (AgentTools tools = turn.openTools()) {
        assertThat(tools.call("session_complete", "").isError()).isTrue();
      }
      return AgentResult.success();
    };
  }

  @Test
  void endOfLoop_namesTheUnreadMessage() {
    session.tasks().add("one");
    session.tasks().complete("t1");
    session.inbox().send("Do the API first");

    assertThat(loop(hastyWithTools()).maxIterations(2).maxIdle(0).run())
        .hasToString(
            "max_iterations after 2 iterations: no task is left, but 1 message is not read yet: m1"
                + " Do the API first");
    assertThat(session.control().outstanding())
        .containsExactly("1 message is not read yet: m1 Do the API first");

    session.tasks().add("two");
    assertThat(loop(hastyWithTools()).maxIterations(1).run())
        .hasToString(
            "max_iterations after 1 iteration: 1 task left; 1 message is not read yet: m1 Do the"
                + " API first");
  }

  @Test
  void refusalsForUnreadMessage_areNoProgress() {
    session.tasks().add("one");
    session.tasks().complete("t1");
    session.inbox().send("Do the API first");

    LoopResult result = loop(hastyWithTools()).maxIdle(3).run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).isEqualTo(3);
    assertThat(result.detail()).contains("1 message is not read yet: m1 Do the API first");
  }

  @Test
  void listeners_areNotifiedOfReadMessages() {
    session.inbox().send("before");
    session.inbox().markRead("m1");
    session.inbox().send("in the prompt");
    loop(turn -> {
          Session s = turn.session();
          if (turn.iteration() == 1) {
            s.inbox().markRead("m2");
            s.inbox().send("at work");
            try (AgentTools tools = turn.openTools()) {
              String refused = tools.call("session_complete", "").text();
              String word = refused.replaceAll("(?s).*with word ([a-z]+).*", "$1");
              tools.call("session_complete", "{\"word\":\"" + word + "\"}");
            }
            return AgentResult.failure("crash");
          }
          s.inbox().markRead("m3");
          s.control().complete();
          return AgentResult.success();
        })
        .maxIterations(2)
        .run();

    assertThat(events)
        .filteredOn(event -> event.type() == LoopEvent.Type.MESSAGE_READ)
        .extracting(event -> event.iteration() + ": " + event.message())
        .containsExactly(
            "1: m2 was read by the agent",
            "1: m3 was read by the agent",
            "2: m3 was read by the agent");
    LoopEvent last =
        events.stream().filter(e -> e.type() == LoopEvent.Type.MESSAGE_READ).findFirst().get();
    assertThat(last.data().json())
        .isEqualTo("{\"ref\":\"m2\",\"id\":\"" + session.inbox().get("m2").id() + "\"}");
  }

  @Test
  void claimBeforeRun_isRefusedForUnreadMessage() {
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
