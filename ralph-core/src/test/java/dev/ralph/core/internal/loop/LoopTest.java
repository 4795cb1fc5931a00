package dev.ralph.core.internal.loop;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Control;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.tool.Tools;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The guarantees of a loop, with lambdas as agents. */
@Timeout(120)
class LoopTest extends LoopFixture {

  private static final Duration LONG = Duration.ofMinutes(10);

  /** Completion is granted for good work, and refused with reasons. */
  @Nested
  class Completion {

    @Test
    void loop_worksUntilCompletionIsGranted() {
      session.tasks().add("one");
      session.tasks().add("two");
      Agent worker =
          turn -> {
            Session s = turn.session();
            s.tasks().ready().stream().findFirst().ifPresent(t -> s.tasks().complete(t.id()));
            if (s.tasks().ready().isEmpty()) {
              s.control().complete();
            }
            return AgentResult.success().summary("did " + turn.iteration());
          };

      LoopResult result = loop(worker).run();

      assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(result.iterations()).isEqualTo(2);
      assertThat(session.control().isCompleted()).isTrue();
      assertThat(session.control().running()).isEmpty();
      assertThat(actions("control"))
          .containsExactly("loop_start", "session_complete", "session_completed", "loop_end");
      assertThat(types())
          .containsExactly(
              LoopEvent.Type.LOOP_STARTED,
              LoopEvent.Type.ITERATION_STARTED,
              LoopEvent.Type.ITERATION_ENDED,
              LoopEvent.Type.ITERATION_STARTED,
              LoopEvent.Type.ITERATION_ENDED,
              LoopEvent.Type.LOOP_ENDED);
      assertThat(prompts.get(1)).contains("- #1 success: did 1");
    }

    @Test
    void newTask_reopensACompletedSession() {
      Agent diligent =
          turn -> {
            turn.session()
                .tasks()
                .ready()
                .forEach(task -> turn.session().tasks().complete(task.id()));
            turn.session().control().complete();
            return AgentResult.success();
          };
      loop(diligent).run();
      assertThat(session.control().isCompleted()).isTrue();

      Task task = session.tasks().add("one more thing");
      assertThat(session.control().isCompleted()).isFalse();
      assertThatThrownBy(() -> session.control().complete()).hasMessageContaining("one more thing");

      assertThat(loop(diligent).run().reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(session.control().isCompleted()).isTrue();
      session.tasks().status(task.id(), StatusChange.to(Task.Status.REMAINING));
      assertThat(session.control().isCompleted()).as("reopened").isFalse();
    }

    @Test
    void taskDoneAfterCompletion_canBeCompletedAgain() {
      Agent claims =
          turn -> {
            turn.session().control().complete();
            return AgentResult.success();
          };
      loop(claims).run();
      session.tasks().complete(session.tasks().add("by hand").id());

      session.control().complete();

      assertThat(loop(turn -> AgentResult.failure("not needed")).run().iterations()).isZero();
      assertThat(session.control().isCompleted()).isTrue();
    }

    @Test
    void failedGate_isShownUntilPassed() throws Exception {
      Path gate = folder.resolve("gate.sh");
      Files.writeString(
          gate,
          "for i in $(seq 1 60); do echo line $i; done\n"
              + "test -f fixed || { echo 'not fixed' >&2; exit 3; }\n");
      Agent worker =
          turn -> {
            if (turn.iteration() == 2) {
              Files.createFile(folder.resolve("fixed"));
            }
            turn.session().control().complete();
            return AgentResult.success();
          };

      LoopResult result = loop(worker).gate(Gate.of("sh", "gate.sh")).run();

      assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(result.iterations()).isEqualTo(2);
      assertThat(prompts.get(0)).doesNotContain("REFUSED");
      assertThat(prompts.get(1))
          .contains("## COMPLETION REFUSED")
          .contains("- gate failed with exit code 3: sh gate.sh\n  Its last lines:\n  line 22\n")
          .contains("  line 60\n  not fixed\n");
      assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).message()).contains("exit code 3");
      assertThat(types().indexOf(LoopEvent.Type.GATE_STARTED))
          .as("the event precedes the gate")
          .isEqualTo(types().indexOf(LoopEvent.Type.GATE) - 1);
      assertThat(events.stream().filter(e -> e.type() == LoopEvent.Type.GATE))
          .extracting(e -> e.data().isTrue("passed"))
          .containsExactly(false, true);
    }

    @Test
    void openTask_refusesCompletionWithoutRunningGates() {
      AtomicInteger runs = new AtomicInteger();
      Agent worker =
          turn -> {
            turn.session().control().complete();
            if (runs.incrementAndGet() == 1) {
              turn.session().tasks().add("found late");
            } else {
              turn.session().tasks().list().forEach(t -> turn.session().tasks().complete(t.id()));
            }
            return AgentResult.success();
          };

      // The agent adds a task after its claim, so the loop refuses the claim before any gate.
      loop(worker).gate(Gate.of("true")).maxIterations(1).run();

      assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).message())
          .isEqualTo(
              "completion refused: 1 task is still open: t1 found late; complete or"
                  + " cancel it first");
      assertThat(types()).doesNotContain(LoopEvent.Type.GATE);
      assertThat(session.control().isCompleted()).isFalse();
    }

    @Test
    void claimWithoutLoop_isJudgedByTheNextLoop() {
      session.control().complete();

      LoopResult result = loop(turn -> AgentResult.success()).run();

      assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(result.iterations()).isZero();
    }

    @Test
    void refusal_isShownInTheNextRun() {
      loop(turn -> {
            turn.session().control().complete();
            return AgentResult.success();
          })
          .gate(Gate.of("false"))
          .maxIterations(1)
          .run();

      loop(turn -> AgentResult.success()).maxIterations(2).run();

      assertThat(prompts.get(1))
          .contains("gate failed with exit code 1: false\n  It printed nothing.");
      assertThat(prompts.get(2)).doesNotContain("REFUSED");
    }

    @Test
    void killedGate_namesAPossibleCause() {
      loop(turn -> {
            turn.session().control().complete();
            return AgentResult.success();
          })
          .gate(Gate.of(List.of("sh", "-c", "kill -9 $$")))
          .maxIterations(2)
          .run();

      assertThat(prompts.get(1))
          .contains("gate failed with exit code 137 (killed, perhaps because memory ran out): sh ");
    }

    @Test
    void preview_equalsTheNextPrompt() {
      Agent worker =
          turn -> {
            if (turn.iteration() == 1) {
              turn.session().control().complete();
            }
            return AgentResult.success();
          };
      try (Loop loop = loop(worker).gate(Gate.of("false")).maxIterations(3).build()) {
        loop.step();
        String second = loop.preview();
        loop.step();
        String third = loop.preview();
        loop.step();

        assertThat(second).contains("COMPLETION REFUSED");
        assertThat(prompts.get(1)).contains("COMPLETION REFUSED");
        assertThat(third).doesNotContain("COMPLETION REFUSED");
        assertThat(prompts.get(2)).doesNotContain("COMPLETION REFUSED");
      }
    }

    @Test
    void deletedGate_isReportedAsNotRun() throws IOException {
      Path gate = Files.writeString(folder.resolve("gate.sh"), "#!/bin/sh\n");
      assertThat(gate.toFile().setExecutable(true)).isTrue();
      loop(turn -> {
            Files.delete(gate);
            turn.session().control().complete();
            return AgentResult.success();
          })
          .gate(Gate.of("./gate.sh"))
          .maxIterations(1)
          .run();

      assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).data().strings("reasons"))
          .singleElement()
          .asString()
          .startsWith("gate could not be run: ./gate.sh\n")
          .contains("no such file");
    }
  }

  /** Iterations are counted, and the output of their agents is kept. */
  @Nested
  class Iterations {

    @Test
    void iterationNumbers_continueInTheNextRun() {
      assertThat(loop(turn -> AgentResult.success()).maxIterations(2).run().reason())
          .isEqualTo(StopReason.MAX_ITERATIONS);
      LoopResult second = loop(turn -> AgentResult.success()).maxIterations(2).run();

      assertThat(second.iterations()).isEqualTo(2);
      assertThat(session.iterations().list())
          .extracting(Iteration::number)
          .containsExactly(1, 2, 3, 4);
    }

    @Test
    void runningLoop_reportsFirstIterationAndLimit() {
      List<String> said = new ArrayList<>();
      Agent agent =
          turn -> {
            Control.RunningLoop running = session.control().running().orElseThrow();
            said.add(running.first() + "+" + running.limit());
            return AgentResult.success();
          };
      loop(agent).maxIterations(2).run();
      loop(agent).maxIterations(1).run();
      loop(agent).maxIterations(0).maxIdle(1).run();

      assertThat(said).containsExactly("1+2", "1+2", "3+1", "4+0");
    }

    @Test
    void output_isKeptInTheTranscript() {
      String longLine = "x".repeat(200_000);
      loop(turn -> {
            turn.output("first");
            turn.output("second\nthird \ud800");
            turn.output(longLine);
            return AgentResult.success();
          })
          .maxIterations(1)
          .run();

      assertThat(session.iterations().transcript(1).replace("\n", ""))
          .isEqualTo("firstsecondthird \ufffd" + longLine);
      assertThat(session.iterations().transcript(1)).startsWith("first\nsecond\nthird \ufffd\nxxx");
      assertThat(events.stream().filter(e -> e.type() == LoopEvent.Type.OUTPUT)).hasSize(3);
    }

    @Test
    void longLine_isKeptWhole() {
      String line = "y".repeat(200_000);
      loop(turn -> {
            turn.output("before\n" + line);
            turn.output("after");
            return AgentResult.success();
          })
          .maxIterations(1)
          .run();

      assertThat(session.iterations().transcript(1)).isEqualTo("before\n" + line + "\nafter\n");
    }

    @Test
    void invalidUnicode_isReplaced() {
      loop(turn -> {
            turn.output("bad \ud800 end");
            turn.notice("bad \udc00 end");
            return AgentResult.success();
          })
          .maxIterations(1)
          .run();

      assertThat(events).allSatisfy(event -> assertThat(event.json()).startsWith("{"));
      assertThat(only(LoopEvent.Type.OUTPUT).message()).isEqualTo("bad \ufffd end");
      assertThat(session.iterations().transcript(1)).isEqualTo("bad \ufffd end\n");
    }

    @Test
    void abandonedClaim_isReleasedAfterTheIteration() {
      session.tasks().add("left half done");
      session.tasks().add("somebody else's");
      session.tasks().claim("t2", "another", LONG);
      List<Integer> ready = new ArrayList<>();

      loop(turn -> {
            ready.add(turn.session().tasks().ready().size());
            turn.session().tasks().claim("t1", "agent", LONG, turn.iteration());
            return AgentResult.success();
          })
          .maxIterations(2)
          .run();

      assertThat(ready).containsExactly(1, 1);
      assertThat(session.tasks().ready()).extracting(Task::number).containsExactly(1);
    }

    @Test
    void iterationOfCrashedLoop_isInterrupted() {
      ralph
          .log()
          .append(
              dev.ralph.log.Batch.of(
                  "crashed",
                  List.of(
                      dev.ralph.log.Draft.of(
                          Topic.of("ralph.s.iteration"),
                          dev.ralph.log.Meta.of("action", "start").with("n", 1)))));

      loop(turn -> AgentResult.success()).maxIterations(1).run();

      assertThat(statuses())
          .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.SUCCESS);
      assertThat(only(LoopEvent.Type.NOTICE).iteration()).isEqualTo(1);
      assertThat(prompts.get(0)).contains("- #1 interrupted");
    }

    @Test
    void failedPrompt_endsItsIteration() {
      Tools broken =
          new Tools() {
            @Override
            public String describe(String name, dev.ralph.log.StoreInfo store) {
              throw new IllegalStateException("no tools today");
            }

            @Override
            public String markReadInstruction(String name, dev.ralph.log.StoreInfo store) {
              return "";
            }
          };
      assertThatThrownBy(() -> loop(turn -> AgentResult.success()).tools(broken).run())
          .hasMessage("no tools today");

      assertThat(statuses()).containsExactly(Iteration.Status.FAILURE);
      assertThat(session.control().running()).isEmpty();
      assertThat(session.tasks().list()).extracting(Task::status).isEmpty();
    }
  }

  /** Failed iterations are retried after a pause, up to a limit. */
  @Nested
  class Failures {

    @Test
    void maxFailuresInARow_endTheLoop() {
      LoopResult result =
          loop(turn -> {
                throw new IllegalStateException("broken");
              })
              .failurePause(Duration.ofMillis(100))
              .maxFailures(4)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(result.detail())
          .isEqualTo(
              "4 failures in a row; the last iteration failed: java.lang.IllegalStateException:"
                  + " broken");
      assertThat(statuses()).containsOnly(Iteration.Status.FAILURE).hasSize(4);
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo("java.lang.IllegalStateException: broken");
      assertThat(events.stream().filter(e -> e.type() == LoopEvent.Type.WAITING))
          .extracting(e -> e.data().integer("millis").orElseThrow())
          .containsExactly(100L, 200L, 400L);
    }

    @Test
    void result_namesTheLastFailure() {
      session.tasks().add("one");
      LoopResult single = loop(turn -> AgentResult.failure("no network")).maxFailures(1).run();
      assertThat(single.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(single.detail()).isEqualTo("the iteration failed: no network");

      LoopResult most = loop(turn -> AgentResult.failure("no network")).maxIterations(1).run();
      assertThat(most.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(most.detail()).isEqualTo("1 task left; the last iteration failed: no network");

      LoopResult late =
          loop(turn -> {
                Thread.sleep(60_000);
                return AgentResult.success();
              })
              .iterationTimeLimit(Duration.ofMillis(20))
              .maxIterations(1)
              .run();
      assertThat(late.detail()).startsWith("1 task left; the last iteration timed out");

      LoopResult mended =
          loop(turn -> turn.iteration() == 4 ? AgentResult.failure("x") : AgentResult.success())
              .failurePause(Duration.ofMillis(1))
              .maxIterations(2)
              .run();
      assertThat(mended.detail()).as("the last iteration did not fail").isEqualTo("1 task left");
    }

    @Test
    void ralphException_isReportedByItsMessage() {
      loop(turn -> {
            throw RalphException.full("no room");
          })
          .maxFailures(1)
          .run();

      assertThat(session.iterations().last().orElseThrow().summary()).isEqualTo("no room");
    }

    @Test
    void exceptionWithBrokenMessage_isReportedByItsName() {
      @SuppressWarnings("serial")
      class Mute extends RuntimeException {
        @Override
        public String getMessage() {
          throw new IllegalStateException("mute");
        }
      }

      LoopResult result =
          loop(turn -> {
                throw new Mute();
              })
              .maxFailures(1)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo(Mute.class.getName());
    }

    @Test
    void success_resetsTheFailureCount() {
      LoopResult result =
          loop(turn ->
                  turn.iteration() % 3 == 0
                      ? AgentResult.success()
                      : AgentResult.failure("no luck"))
              .maxIterations(8)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }

    @Test
    void fatalResult_endsTheLoopAtOnce() {
      LoopResult result = loop(turn -> AgentResult.fatal("not installed")).run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(result.detail()).isEqualTo("not installed");
      assertThat(result.iterations()).isEqualTo(1);
    }

    @Test
    void rateLimit_isNotCountedAsFailure() {
      LoopResult result =
          loop(turn ->
                  turn.iteration() < 5
                      ? AgentResult.rateLimited("busy", TINY)
                      : AgentResult.success())
              .maxFailures(1)
              .maxIterations(5)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(statuses())
          .containsExactly(
              Iteration.Status.RATE_LIMITED,
              Iteration.Status.RATE_LIMITED,
              Iteration.Status.RATE_LIMITED,
              Iteration.Status.RATE_LIMITED,
              Iteration.Status.SUCCESS);
    }

    @Test
    void rateLimitWithoutDelay_waitsAMinute() {
      AtomicReference<Loop> self = new AtomicReference<>();
      try (Loop loop =
          loop(turn -> AgentResult.rateLimited("busy", null))
              .onEvent(
                  e -> {
                    if (e.type() == LoopEvent.Type.WAITING) {
                      self.get().cancel("seen enough");
                    }
                  })
              .build()) {
        self.set(loop);
        assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
      }
      assertThat(only(LoopEvent.Type.WAITING).json())
          .contains("\"data\":{\"reason\":\"rate_limit\",\"millis\":60000}");
    }

    @Test
    void nullResult_isAFailure() {
      LoopResult result = loop(turn -> null).maxFailures(1).run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo("the agent returned no result");
    }
  }

  /** Work beyond its time limit is ended. */
  @Nested
  class TimeLimits {

    @Test
    void slowIteration_timesOut() {
      LoopResult result =
          loop(turn -> {
                assertThat(turn.deadline()).isNotNull();
                new CountDownLatch(1).await();
                return AgentResult.success();
              })
              .iterationTimeLimit(Duration.ofMillis(30))
              .maxFailures(2)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(statuses()).containsExactly(Iteration.Status.TIMEOUT, Iteration.Status.TIMEOUT);
    }

    @Test
    void agentObservingItsDeadline_timesOut() {
      loop(turn -> {
            while (java.time.Instant.now().isBefore(turn.deadline())) {
              Thread.onSpinWait();
            }
            return AgentResult.failure("time ran out");
          })
          .iterationTimeLimit(Duration.ofMillis(20))
          .maxFailures(1)
          .run();

      assertThat(statuses()).containsExactly(Iteration.Status.TIMEOUT);
    }

    @Test
    void timeLimit_appliesWhilePaused() {
      session.control().pause();

      LoopResult result =
          loop(turn -> AgentResult.success()).timeLimit(Duration.ofMillis(30)).run();

      assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
      assertThat(result.iterations()).isZero();
    }

    @Test
    void endlessDurations_areAccepted() {
      Duration forever = ChronoUnit.FOREVER.getDuration();
      LoopResult cutOff =
          loop(turn -> {
                new CountDownLatch(1).await();
                return AgentResult.success();
              })
              .grace(forever)
              .gate(Gate.of("true"))
              .iterationTimeLimit(Duration.ofMillis(20))
              .maxFailures(2)
              .run();
      assertThat(cutOff.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(statuses()).containsExactly(Iteration.Status.TIMEOUT, Iteration.Status.TIMEOUT);

      Loop.Builder limited = loop(turn -> AgentResult.rateLimited("busy", forever));
      assertThat(limited.timeLimit(Duration.ofMillis(100)).run().reason())
          .isEqualTo(StopReason.TIME_LIMIT);

      Loop.Builder failing = loop(turn -> AgentResult.failure("no luck")).failurePause(forever);
      assertThat(failing.timeLimit(Duration.ofMillis(100)).run().reason())
          .isEqualTo(StopReason.TIME_LIMIT);
    }
  }

  /** An operator stops, pauses and resumes the loop. */
  @Nested
  class Orders {

    @Test
    void stop_endsTheLoopAfterTheIteration() {
      LoopResult result =
          loop(turn -> {
                turn.session().control().stop("enough for today");
                return AgentResult.success();
              })
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
      assertThat(result.detail()).isEqualTo("enough for today");
      assertThat(statuses()).containsExactly(Iteration.Status.SUCCESS);
    }

    @Test
    void stopOfEarlierRun_isIgnored() {
      session.control().stop("old");

      assertThat(loop(turn -> AgentResult.success()).maxIterations(1).run().reason())
          .isEqualTo(StopReason.MAX_ITERATIONS);
    }

    @Test
    void pausedLoop_continuesAfterResume() throws Exception {
      session.control().pause();
      CountDownLatch waiting = new CountDownLatch(1);
      Thread operator =
          new Thread(
              () -> {
                try {
                  await(waiting);
                  assertThat(session.iterations().list()).isEmpty();
                  session.control().resume();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      operator.start();

      LoopResult result =
          loop(turn -> AgentResult.success())
              .onEvent(e -> countDownOn(e, LoopEvent.Type.WAITING, waiting))
              .maxIterations(1)
              .run();

      operator.join();
      assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(types().subList(0, 3))
          .containsExactly(
              LoopEvent.Type.LOOP_STARTED,
              LoopEvent.Type.WAITING,
              LoopEvent.Type.ITERATION_STARTED);
    }

    @Test
    void stop_endsALongPause() {
      CountDownLatch waiting = new CountDownLatch(1);
      Thread operator =
          new Thread(
              () -> {
                try {
                  await(waiting);
                  session.control().stop(null);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      operator.start();

      LoopResult result =
          loop(turn -> AgentResult.failure("no"))
              .failurePause(LONG)
              .onEvent(e -> countDownOn(e, LoopEvent.Type.WAITING, waiting))
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
      assertThat(result.iterations()).isEqualTo(1);
    }
  }

  /** Operators and agents exchange messages and questions. */
  @Nested
  class Messages {

    @Test
    void waitForAnswers_continuesWithTheAnswer() throws Exception {
      CountDownLatch waiting = new CountDownLatch(1);
      Thread operator =
          new Thread(
              () -> {
                try {
                  await(waiting);
                  session.questions().answer("q1", "8080");
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      operator.start();

      LoopResult result =
          loop(turn -> {
                if (turn.iteration() == 1) {
                  turn.session().questions().ask("Which port?", null, 1);
                }
                return AgentResult.success();
              })
              .waitForAnswers(true)
              .onEvent(e -> countDownOn(e, LoopEvent.Type.WAITING, waiting))
              .maxIterations(2)
              .run();

      operator.join();
      assertThat(result.iterations()).isEqualTo(2);
      LoopEvent wait = only(LoopEvent.Type.WAITING);
      assertThat(wait.message()).isEqualTo("waiting for an answer to q1");
      assertThat(wait.data().json()).isEqualTo("{\"reason\":\"questions\",\"open\":[\"q1\"]}");
      assertThat(prompts.get(1))
          .contains("Answer to your question q1 Which port?\n  8080")
          .doesNotContain("OPEN QUESTIONS");
    }

    @Test
    void question_isReportedWhileTheAgentWorks() throws Exception {
      session.questions().ask("From before?");
      CountDownLatch told = new CountDownLatch(1);
      Agent asks =
          turn -> {
            turn.session().questions().ask("Which port?", "Ann", turn.iteration());
            await(told);
            return AgentResult.success();
          };

      loop(asks)
          .maxIterations(1)
          .onEvent(
              event -> {
                if (event.type() == LoopEvent.Type.QUESTION) {
                  told.countDown();
                }
              })
          .run();

      LoopEvent question = only(LoopEvent.Type.QUESTION);
      assertThat(question.message()).isEqualTo("question q2: Which port?");
      assertThat(question.iteration()).isEqualTo(1);
      assertThat(question.data().string("ref")).isEqualTo("q2");
      assertThat(question.data().string("text")).isEqualTo("Which port?");
      assertThat(question.data().string("by")).isEqualTo("Ann");
      assertThat(question.data().string("id")).isEqualTo(session.questions().get("q2").id());
    }

    @Test
    void openQuestion_isShownWithoutWaiting() {
      session.questions().ask("Which port?");

      loop(turn -> AgentResult.success()).maxIterations(1).run();

      assertThat(prompts.get(0)).contains("## OPEN QUESTIONS").contains("- [q1] Which port?");
      assertThat(types()).doesNotContain(LoopEvent.Type.WAITING);
    }

    @Test
    void messageInThePrompt_isNotShownAgain() {
      session.inbox().send("before");
      List<String> shown = new ArrayList<>();

      loop(turn -> {
            Session s = turn.session();
            s.inbox().send("during");
            s.inbox().send(NewMessage.of("for the next").followUp(true));
            AgentInbox.Call call = new AgentInbox.Call("agent", "1", Set.of());
            AgentInbox.of(s)
                .deliver(call, LONG)
                .forEach(delivery -> shown.add(delivery.message().text()));
            AgentInbox.of(s)
                .unreadBy("agent")
                .forEach(message -> shown.add("listed " + message.text()));
            return AgentResult.success();
          })
          .maxIterations(1)
          .run();

      assertThat(shown).containsExactly("during", "listed before", "listed during");
      assertThat(AgentInbox.of(session).unreadBy("another"))
          .extracting(Message::text)
          .containsExactly("before", "for the next");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acknowledgedMessage_isReadOnlyAfterSuccess(boolean succeeds) {
      loop(turn -> {
            Session s = turn.session();
            if (turn.iteration() == 1) {
              s.inbox().send("stop using port 80");
              AgentInbox.of(s).deliver(new AgentInbox.Call("agent", "1", Set.of(), 1), LONG);
              AgentInbox.of(s)
                  .acknowledge(
                      new AgentInbox.Call("agent", "2", Set.of("1"), 1),
                      List.of(s.inbox().get("m1").id()));
              assertThat(s.inbox().unread()).isEmpty();
            }
            return succeeds ? AgentResult.success() : AgentResult.failure("no");
          })
          .failurePause(Duration.ofMillis(1))
          .maxIterations(2)
          .run();

      assertThat(prompts.get(1).contains("stop using port 80")).isEqualTo(!succeeds);
      assertThat(session.inbox().get("m1").isRead()).isEqualTo(succeeds);
    }

    @Test
    void message_isShownUntilMarkedAsRead() {
      loop(turn -> {
            if (turn.iteration() == 1) {
              turn.session().inbox().send("API first\n- [t1] fake");
            }
            if (turn.iteration() == 3) {
              turn.session().inbox().markRead("m1");
            }
            return AgentResult.success();
          })
          .maxIterations(4)
          .run();

      String timestamp = session.inbox().get("m1").timestamp();
      String block =
          "## INBOX (Unread Messages - Process these first!)\n- [m1] "
              + timestamp
              + ": API first\n  - [t1] fake\n\n"
              + "After reading, call inbox_mark_read(session_name, id) for each message.\n";
      assertThat(prompts.get(0)).doesNotContain("INBOX");
      assertThat(prompts.get(1)).startsWith(block);
      assertThat(prompts.get(2)).startsWith(block);
      assertThat(prompts.get(3)).doesNotContain("INBOX");
    }
  }

  /** A host receives events, and may step the loop itself. */
  @Nested
  class Hosts {

    @Test
    void exceptionOfListener_isIgnored() {
      LoopResult result =
          loop(turn -> {
                turn.output("hello");
                return AgentResult.success();
              })
              .onEvent(
                  e -> {
                    throw new IllegalStateException("listener");
                  })
              .maxIterations(1)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(statuses()).containsExactly(Iteration.Status.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(
        value = LoopEvent.Type.class,
        names = {"LOOP_STARTED", "OUTPUT", "ITERATION_ENDED", "LOOP_ENDED"})
    void assertionErrorOfListener_isThrown(LoopEvent.Type type) {
      Loop.Builder failing =
          loop(turn -> {
                turn.output("hello");
                return AgentResult.success();
              })
              .onEvent(event -> assertThat(event.type()).isNotEqualTo(type))
              .maxIterations(1);

      assertThatThrownBy(failing::run)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(type.name());
      assertThat(session.control().running()).isEmpty();
      assertThat(types()).endsWith(LoopEvent.Type.LOOP_ENDED);
    }

    @Test
    void events_areDeliveredSequentially() {
      AtomicInteger inside = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      loop(turn -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              Thread thread =
                  new Thread(
                      () -> {
                        for (int n = 0; n < 100; n++) {
                          turn.output("x");
                        }
                      });
              thread.start();
              threads.add(thread);
            }
            for (Thread thread : threads) {
              thread.join();
            }
            return AgentResult.success();
          })
          .onEvent(
              e -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                inside.decrementAndGet();
              })
          .maxIterations(1)
          .run();

      assertThat(most).hasValue(1);
      assertThat(events.stream().filter(e -> e.type() == LoopEvent.Type.OUTPUT)).hasSize(400);
    }

    @Test
    void host_stepsTheLoopInItsThread() throws Exception {
      List<Thread> agentThreads = new CopyOnWriteArrayList<>();
      try (Loop loop =
          loop(turn -> {
                agentThreads.add(Thread.currentThread());
                return AgentResult.success();
              })
              .maxIterations(2)
              .build()) {
        assertThat(loop.result()).isEmpty();
        assertThat(loop.step()).isTrue();
        assertThat(session.iterations().list()).hasSize(1);
        assertThat(session.control().running()).isPresent();
        assertThat(loop.step()).isFalse();
        assertThat(loop.step()).isFalse();
        assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      }
      assertThat(agentThreads).doesNotContain(Thread.currentThread());
    }

    @Test
    void stepWithinStep_isRejected() {
      AtomicReference<Loop> self = new AtomicReference<>();
      List<Throwable> thrown = new CopyOnWriteArrayList<>();
      try (Loop loop =
          loop(turn -> AgentResult.success())
              .onEvent(
                  e -> {
                    try {
                      self.get().step();
                    } catch (RalphException refused) {
                      thrown.add(refused);
                    }
                  })
              .maxIterations(1)
              .build()) {
        self.set(loop);
        loop.run();
      }
      assertThat(thrown)
          .isNotEmpty()
          .allMatch(e -> e.getMessage().contains("use one thread at a time"));
    }

    @Test
    void secondLoopOfSession_isRejected() {
      Loop first = loop(turn -> AgentResult.success()).build();
      try (Loop second = loop(turn -> AgentResult.success()).build()) {
        assertThat(first.step()).isTrue();

        assertThatThrownBy(second::step)
            .isInstanceOf(RalphException.class)
            .hasMessageContaining("process " + ProcessHandle.current().pid() + " on ")
            .extracting(e -> ((RalphException) e).code())
            .isEqualTo(RalphException.Code.CONTENDED);

        first.close();
        assertThat(second.step()).isTrue();
      }
      assertThat(actions("control"))
          .containsExactly("loop_start", "loop_end", "loop_start", "loop_end");
    }
  }

  /** A loop ends at once when it is cancelled or closed. */
  @Nested
  class Cancelling {

    @Test
    void loopCancelledAtIterationStart_runsNoAgent() {
      AtomicReference<Loop> self = new AtomicReference<>();
      AtomicInteger runs = new AtomicInteger();
      try (Loop loop =
          loop(turn -> {
                runs.incrementAndGet();
                return AgentResult.success();
              })
              .onEvent(
                  event -> {
                    if (event.type() == LoopEvent.Type.ITERATION_STARTED) {
                      self.get().cancel("changed my mind");
                    }
                  })
              .build()) {
        self.set(loop);
        assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
      }
      assertThat(runs).hasValue(0);
      assertThat(statuses()).containsExactly(Iteration.Status.INTERRUPTED);
    }

    @Test
    void cancel_interruptsTheAgent() {
      AtomicReference<Loop> self = new AtomicReference<>();
      try (Loop loop =
          loop(turn -> {
                turn.output("working");
                self.get().cancel("signal");
                new CountDownLatch(1).await();
                return AgentResult.success();
              })
              .build()) {
        self.set(loop);
        LoopResult result = loop.run();

        assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(result.detail()).isEqualTo("signal");
      }
      assertThat(statuses()).containsExactly(Iteration.Status.INTERRUPTED);
      assertThat(actions("control")).containsExactly("loop_start", "loop_end");
      assertThat(session.iterations().transcript(1)).isEqualTo("working\n");
    }

    @Test
    void cancel_endsAPause() {
      AtomicReference<Loop> self = new AtomicReference<>();
      try (Loop loop =
          loop(turn -> AgentResult.failure("no"))
              .failurePause(LONG)
              .onEvent(
                  e -> {
                    if (e.type() == LoopEvent.Type.WAITING) {
                      new Thread(() -> self.get().cancel("signal")).start();
                    }
                  })
              .build()) {
        self.set(loop);
        assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
      }
      assertThat(statuses()).containsExactly(Iteration.Status.FAILURE);
    }

    @Test
    void cancelDuringGate_dropsTheClaim() throws Exception {
      AtomicReference<Loop> self = new AtomicReference<>();
      Path started = folder.resolve("started");
      Thread canceller =
          new Thread(
              () -> {
                while (!Files.exists(started)) {
                  Thread.onSpinWait();
                }
                self.get().cancel("signal");
              });
      try (Loop loop =
          loop(turn -> {
                turn.session().control().complete();
                return AgentResult.success();
              })
              .gate(Gate.of("sh", "-c", "touch started; sleep 600"))
              .build()) {
        self.set(loop);
        canceller.start();
        assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
        canceller.join();
      }
      assertThat(actions("control")).containsExactly("loop_start", "session_complete", "loop_end");
      LoopResult later = loop(turn -> AgentResult.success()).maxIterations(1).run();
      assertThat(later.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(later.iterations()).isEqualTo(1);
      assertThat(session.control().isCompleted()).isFalse();
    }

    @Test
    void interrupt_cancelsTheLoopAndIsRestored() {
      AtomicReference<Thread> host = new AtomicReference<>(Thread.currentThread());
      LoopResult result =
          loop(turn -> {
                host.get().interrupt();
                new CountDownLatch(1).await();
                return AgentResult.success();
              })
              .run();

      assertThat(Thread.interrupted()).isTrue();
      assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(statuses()).containsExactly(Iteration.Status.INTERRUPTED);
      assertThat(session.control().running()).isEmpty();
    }

    @Test
    void close_waitsForTheEndFromAnyThread() throws Exception {
      CountDownLatch working = new CountDownLatch(1);
      Loop loop =
          loop(turn -> {
                working.countDown();
                new CountDownLatch(1).await();
                return AgentResult.success();
              })
              .build();
      Thread host = new Thread(loop::run);
      host.start();
      await(working);

      loop.close();

      assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(session.control().running()).isEmpty();
      host.join();
    }

    @Test
    void loop_mayBeClosedByItsListenerOrAgent() {
      for (LoopEvent.Type type : List.of(LoopEvent.Type.ITERATION_STARTED, LoopEvent.Type.OUTPUT)) {
        AtomicReference<Loop> self = new AtomicReference<>();
        Loop loop =
            loop(turn -> {
                  turn.output("x");
                  self.get().close();
                  return AgentResult.success();
                })
                .onEvent(
                    e -> {
                      if (e.type() == type) {
                        self.get().close();
                      }
                    })
                .build();
        self.set(loop);
        assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
      }
    }

    @Test
    void loopCancelledBeforeStart_writesNothing() {
      try (Loop loop = loop(turn -> AgentResult.success()).build()) {
        loop.cancel("changed my mind");
        assertThat(loop.step()).isFalse();
        assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.INTERRUPTED);
      }
      assertThat(actions("control")).isEmpty();
      assertThat(events).isEmpty();
    }
  }

  /** Invalid settings are rejected before any work begins. */
  @Nested
  class Settings {

    @Test
    void invalidSettings_areRejectedByTheBuilder() throws Exception {
      Path file = Files.createFile(folder.resolve("file"));
      Agent agent = turn -> AgentResult.success();
      Agent process = dev.ralph.core.CommandAgent.of("true");
      Map<Loop.Builder, String> wrong =
          Map.ofEntries(
              entry(session.loop(process), "set tools"),
              entry(
                  session.loop(process).tools(Tools.commands(Path.of("/opt/ralph"))),
                  "no other process can use the store memory"),
              entry(session.loop(agent).template("{{nonsense}}"), "unknown placeholder"),
              entry(session.loop(agent).prompt("{{nonsense}}"), "unknown placeholder"),
              entry(session.loop(agent).prompt("a").template("b"), "not both"),
              entry(session.loop(agent).spec(folder.resolve("missing.md")), "does not exist"),
              entry(session.loop(agent).directory(file), "is a file"),
              entry(session.loop(agent).maxIterations(-1), "negative"),
              entry(session.loop(agent).maxFailures(0), "1 or more"),
              entry(session.loop(agent).timeLimit(Duration.ZERO), "must be more than 0"),
              entry(session.loop(agent).maxIdle(-1), "negative"),
              entry(session.loop(agent).maxCost(BigDecimal.ZERO), "maxCost must be more than 0"),
              entry(session.loop(agent).maxTokens(0), "maxTokens must be more than 0"),
              entry(
                  session.loop(agent).iterationMaxCost(BigDecimal.ZERO),
                  "iterationMaxCost must be"),
              entry(session.loop(agent).iterationMaxTokens(-1), "iterationMaxTokens must be"),
              entry(session.loop(agent).grace(Duration.ofSeconds(-1)), "negative"));
      wrong.forEach(
          (builder, message) ->
              assertThatThrownBy(builder::build)
                  .isInstanceOf(RalphException.class)
                  .hasMessageContaining(message));
    }

    @Test
    void invalidVariable_isRejected() {
      Loop.Builder loop = session.loop(turn -> AgentResult.success());
      assertThatThrownBy(() -> loop.variable("", "a")).hasMessageContaining("must not be empty");
      assertThatThrownBy(() -> loop.variable("A=B", "a")).hasMessageContaining("'A=B'");
      assertThatThrownBy(() -> loop.variable("A", "\0")).hasMessageContaining("NUL");
      assertThatThrownBy(() -> loop.variable("RALPH_SESSION", "other"))
          .hasMessageContaining("is reserved for the loop's session");
    }

    @Test
    void missingProgramOfCommands_isRejected() {
      Path missing = folder.resolve("ralph");
      StoreInfo shared =
          new StoreInfo(
              "id", "file", "/a", Set.of(StoreInfo.Capability.MULTI_PROCESS), 8 << 20, 100);
      assertThatThrownBy(() -> Tools.commands(missing).requireReady(shared))
          .hasMessageContaining("'" + missing + "' is not an executable file");
      assertThatThrownBy(() -> Tools.commands(folder).requireReady(shared))
          .hasMessageContaining("is not an executable file");
    }

    @Test
    void templateWithSingleBraces_isReported() {
      loop(turn -> AgentResult.success()).template("{spec} {{inbox}}").maxIterations(1).run();

      assertThat(only(LoopEvent.Type.NOTICE).message()).contains("write {{spec}}");
    }
  }

  private static void countDownOn(LoopEvent event, LoopEvent.Type type, CountDownLatch latch) {
    if (event.type() == type) {
      latch.countDown();
    }
  }
}
