package dev.ralph.tx;

import static dev.ralph.tx.DeliveringProcess.STUCK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.domain.Priority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests killed deliverers, and many messages at once. */
@Timeout(900)
class TxProcessesTest {

  /** A multiple of the usual amount, for a long run. */
  private static final int TIMES = Integer.getInteger("ralph.tx.times", 1);

  private static final int ROUNDS = 10 * TIMES;
  private static final int EACH = 10;
  private static final int MANY = 2_000 * TIMES;

  @TempDir Path project;

  private TxFolder folder() throws IOException {
    TxFolder folder = TxFolder.of(project.resolve(TxFolder.USUAL));
    Files.createDirectories(folder.messages());
    return folder;
  }

  private List<String> got() throws IOException {
    return got("brain");
  }

  private List<String> got(String agent) throws IOException {
    Path file = project.resolve("got-" + agent);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static TxMessage message(int i, String to) {
    return TxMessage.of(TxType.UPDATE).from("core").to(to).id("m" + i).headline("Message " + i);
  }

  @Test
  void killedDeliverer_losesNothing() throws Exception {
    TxFolder folder = folder();
    Random random = new Random(7);
    int sent = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int before = got().size();
      Process deliverer = DeliveringProcess.start(project, "brain");
      try {
        for (int i = 0; i < EACH; i++) {
          folder.write(message(sent++, "brain"));
        }
        int enough = before + 1 + random.nextInt(EACH - 2);
        awaitGot(enough);
        LockSupport.parkNanos(random.nextInt(3_000_000));
      } finally {
        deliverer.destroyForcibly().waitFor();
      }
    }
    Process last = DeliveringProcess.start(project, "brain");
    try {
      while (distinct(got()).size() < sent) {
        assertThat(last.isAlive()).as("the deliverer is alive").isTrue();
        LockSupport.parkNanos(20_000_000);
      }
    } finally {
      last.destroyForcibly().waitFor();
    }
    List<String> all = got();
    Map<String, Integer> counts = distinct(all);
    // Two kills may affect the same message, so it may be delivered three times.
    assertThat(counts).hasSize(sent);
    assertThat(all.size() - sent).as("at most one repetition per kill").isLessThanOrEqualTo(ROUNDS);
    List<String> seen = new ArrayList<>();
    for (String line : all) {
      String id = line.replace(" again", "");
      assertThat(line.endsWith(" again") || !seen.contains(id)).as(line + " is marked").isTrue();
      seen.add(id);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messageOfKilledDeliverer_isRedeliveredFirst(boolean wasBeside) throws Exception {
    TxFolder folder = folder();
    folder.write(message(0, STUCK));
    TxAddress stuck = TxAddress.parse(STUCK);
    BlockingQueue<TxSink.Delivery> got = new LinkedBlockingQueue<>();
    Process killed = DeliveringProcess.start(project, STUCK);
    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"));
        Tx tx = Tx.of(ralph, folder)) {
      while (got(STUCK).isEmpty()) {
        LockSupport.parkNanos(5_000_000);
      }
      if (wasBeside) {
        tx.deliver(stuck, got::add);
        folder.write(message(1, STUCK));
        assertThat(got.take().file().id()).as("message without a lease").isEqualTo("m1");
      }
      folder.write(message(2, STUCK).priority(Priority.HIGH));
      while (!wasBeside && tx.waiting(stuck).size() < 2) {
        LockSupport.parkNanos(5_000_000);
      }
      TxSink.Delivery urgent = wasBeside ? got.take() : null;
      killed.destroyForcibly().waitFor();
      if (!wasBeside) {
        tx.deliver(stuck, got::add);
      }
      TxSink.Delivery first = got.poll(10, TimeUnit.SECONDS);
      assertThat(first).as("after a third of the lease").isNotNull();
      assertThat(first.file().id()).isEqualTo("m0");
      assertThat(first.isRepeat()).isTrue();
      assertThat((wasBeside ? urgent : got.take()).file().id()).isEqualTo("m2");
    } finally {
      killed.destroyForcibly().waitFor();
    }
  }

  private void awaitGot(int lines) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (got().size() < lines) {
      assertThat(System.nanoTime())
          .as("not delivered in time; " + Files.readString(project.resolve("output")))
          .isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static Map<String, Integer> distinct(List<String> lines) {
    Map<String, Integer> counts = new HashMap<>();
    lines.forEach(line -> counts.merge(line.replace(" again", ""), 1, Integer::sum));
    return counts;
  }

  @Test
  void manyFiles_reachFourAgentsOnce() throws Exception {
    TxFolder folder = folder();
    TxWriter writer = new TxWriter(folder.messages(), Clock.systemUTC());
    List<String> agents = List.of("a", "b", "c/d", "c/e");
    for (int i = 0; i < MANY / 2; i++) {
      writer.write(message(i, agents.get(i % agents.size())));
    }
    Queue<String> got = new ConcurrentLinkedQueue<>();
    Queue<TxEvent> unexpected = new ConcurrentLinkedQueue<>();
    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"));
        Tx tx =
            Tx.of(
                ralph,
                folder,
                event -> {
                  if (event.kind() != TxEvent.Kind.TAKEN
                      && event.kind() != TxEvent.Kind.DELIVERED) {
                    unexpected.add(event);
                  }
                })) {
      for (String agent : agents) {
        tx.deliver(agent, delivery -> got.add(delivery.to() + " " + delivery.file().id()));
      }
      for (int i = MANY / 2; i < MANY; i++) {
        writer.write(message(i, agents.get(i % agents.size())));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(600);
      while (got.size() < MANY && System.nanoTime() < end) {
        LockSupport.parkNanos(20_000_000);
      }
      assertThat(tx.boxes()).hasSize(4).allMatch(box -> box.total() == MANY / 4);
    }
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      expected.add(TxAddress.parse(agents.get(i % agents.size())) + " m" + i);
    }
    assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(unexpected).isEmpty();
  }
}
