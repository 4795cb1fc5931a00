package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gates that are code of the host. */
@Timeout(120)
class LoopGateTest extends LoopFixture {

  private static final Agent CLAIMS =
      turn -> {
        turn.session().control().complete();
        return AgentResult.success();
      };

  @Test
  void gate_seesSessionAndFolder() throws Exception {
    Path todo = Files.createFile(folder.resolve("TODO"));
    List<String> seen = new ArrayList<>();
    Gate gate =
        Gate.named(
            "no TODOs",
            context -> {
              seen.add(context.session().name() + " " + context.iteration());
              return Files.exists(context.directory().resolve("TODO"))
                  ? Verdict.failed("a TODO is left")
                  : Verdict.passed();
            });
    Agent agent =
        turn -> {
          if (turn.iteration() == 2) {
            Files.delete(todo);
          }
          return CLAIMS.run(turn);
        };

    LoopResult result = loop(agent).gate(gate).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(seen).containsExactly("s 1", "s 2");
    assertThat(prompts.get(1)).contains("- gate failed: no TODOs\n  a TODO is left");
    assertThat(events)
        .filteredOn(LoopEvent.GateEnded.class::isInstance)
        .extracting(event -> ((LoopEvent.GateEnded) event).verdict().toString())
        .containsExactly("failed: a TODO is left", "passed");
    assertThat(events)
        .filteredOn(event -> event.type() == LoopEvent.Type.GATE)
        .extracting(event -> event.data().json())
        .containsExactly(
            "{\"name\":\"no TODOs\",\"passed\":false,\"reason\":\"a TODO is left\"}",
            "{\"name\":\"no TODOs\",\"passed\":true}");
  }

  @Test
  void gate_mayRunACommandInTheFolder() throws Exception {
    Files.createFile(folder.resolve("changed"));
    Gate gate =
        Gate.named(
            "tests, where something has changed",
            context ->
                Files.exists(context.directory().resolve("changed"))
                    ? context.run(List.of("sh", "-c", "rm changed; echo one test failed; exit 3"))
                    : Verdict.passed());

    LoopResult result = loop(CLAIMS).gate(gate).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(prompts.get(1))
        .contains(
            "- gate failed with exit code 3: tests, where something has changed\n"
                + "  Its last lines:\n  one test failed");
    LoopEvent first =
        events.stream().filter(e -> e.type() == LoopEvent.Type.GATE).findFirst().orElseThrow();
    assertThat(((LoopEvent.GateEnded) first).verdict().exitCode()).isEqualTo(3);
  }

  @Test
  void gateWithExceptionOrNull_isNotPassed() {
    loop(CLAIMS)
        .gate(
            Gate.named(
                "reachable",
                context -> {
                  throw new IOException("no route to the host");
                }))
        .gate(Gate.named("silent", context -> null))
        .maxIterations(1)
        .run();

    assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).data().strings("reasons"))
        .containsExactly(
            "gate could not be run: reachable\njava.io.IOException: no route to the host",
            "gate returned no verdict: silent\nThe gate's code returned null.");
  }

  @Test
  void gateEvent_namesTheException() {
    loop(CLAIMS)
        .gate(
            Gate.named(
                "reachable",
                context -> {
                  throw new IOException("no route to \uD800");
                }))
        .maxIterations(1)
        .run();

    assertThat(only(LoopEvent.Type.GATE).data().string("reason"))
        .isEqualTo("java.io.IOException: no route to \uFFFD");
  }

  @Test
  void cancelledLoop_interruptsTheGate() {
    AtomicReference<Loop> self = new AtomicReference<>();
    CountDownLatch interrupted = new CountDownLatch(1);
    Gate hangs =
        Gate.named(
            "hangs",
            context -> {
              self.get().cancel("signal");
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return Verdict.passed();
            });
    try (Loop loop = loop(CLAIMS).gate(hangs).build()) {
      self.set(loop);
      assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
    }
    assertThat(interrupted.getCount()).isZero();
  }

  @Test
  void gate_mayCloseItsLoop() {
    AtomicReference<Loop> self = new AtomicReference<>();
    Gate closes =
        Gate.named(
            "closes",
            context -> {
              self.get().close();
              return Verdict.failed("closed");
            });
    Loop loop = loop(CLAIMS).gate(closes).build();
    self.set(loop);

    assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
  }

  @Test
  void gateWithoutCommandOrName_isRejected() {
    assertThatThrownBy(() -> Gate.of(List.of())).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> Gate.named(" ", context -> Verdict.passed()))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("needs a name");
  }
}
