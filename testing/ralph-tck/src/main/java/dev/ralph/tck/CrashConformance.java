package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.LockedException;
import dev.ralph.log.Position;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.FrameValues;
import dev.ralph.tck.internal.TimeLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that a writer which is killed or stopped during an append loses at most this append. */
@Requires(Capability.PERSISTENT)
public abstract class CrashConformance extends StoreConformance {

  private static final int KILLS_OF_ALL = 3;
  private static final int KILLS_OF_ALL_BRIEFLY = 8;
  private static final int KILLS = 5;
  private static final int MISNAMED = 2;
  private static final int STOPS = 40;

  /** Large enough to stop a writer while it holds the lock, however briefly. */
  private static final int STOPS_UNTIL_LOCKED = 2_000;

  private static final int LATE = 3;

  /**
   * The lock timeout, with a margin for a busy machine: two seconds, or ten if the system does not
   * report stopped processes.
   */
  private static final Duration LOCKED_WITHIN =
      Duration.ofMillis(Files.exists(Path.of("/proc/locks")) ? 2_500 : 10_500);

  @Test
  @Order(PLAINEST)
  void killedOnlyUser_losesNothingAcknowledged() throws Exception {
    Random random = new Random(7);
    Set<String> acknowledged = new HashSet<>();
    for (int kill = 0; kill < KILLS_OF_ALL; kill++) {
      ChildProcess writer = startChild(0);
      writer.done();
      // alternating durability, the last one not synced
      writer.send("append " + OTHER + " 4 3 300");
      ProcessConformance.addAcknowledged(acknowledged, writer.until("done"));
      if (kill > 0) {
        writer.send("storm " + TOPIC + " 2 8 " + (64 << 10));
        ProcessConformance.addAcknowledged(acknowledged, writer.until("ack"));
        Thread.sleep(random.nextInt(10), random.nextInt(1_000_000));
      }
      ProcessConformance.addAcknowledged(acknowledged, writer.kill());
      fixture().awaitTheEndOfTheKilled();

      FrameStore store = open();
      Set<String> held = NumberedBatch.assertWhole(readAll(store));
      assertThat(held).as("batches in the log after kill %s", kill).containsAll(acknowledged);
      assertThat(store.verify()).isEmpty();
      String next = newBatchId();
      store.append(NumberedBatch.of(next, OTHER, 2, 100));
      acknowledged.add(next);
      List<Frame> log = readAll(store);
      assertInOrder(log);
      assertIdsIncrease(log);
      store.close();
    }
    assertThat(NumberedBatch.assertWhole(readAll(open()))).containsAll(acknowledged);
  }

  @Test
  void appendAfterKill_addsOnlyItsOwnFrames() throws Exception {
    Random random = new Random(11);
    for (int kill = 0; kill < KILLS_OF_ALL_BRIEFLY; kill++) {
      ChildProcess writer = startChild(0);
      writer.done();
      // small, to spend most of the time outside of writes
      writer.send("storm " + TOPIC + " 2 1 10");
      writer.until("ack");
      Thread.sleep(random.nextInt(5), random.nextInt(1_000_000));
      writer.kill();
      fixture().awaitTheEndOfTheKilled();

      FrameStore store = open();
      List<Frame> shown = readAll(store);
      shown.add(append(store, OTHER, "after the kill"));
      assertThat(FrameValues.all(readAll(store)))
          .as("frames after kill %s: the frames at the opening and the appended frame", kill)
          .containsExactlyElementsOf(FrameValues.all(shown));
      assertThat(store.verify()).isEmpty();
      store.close();
    }
  }

  @Test
  @Requires(Capability.MULTI_PROCESS)
  void killedWriter_leavesWholeBatches() throws Exception {
    FrameStore store = open();
    Follower follower = closeAfterwards(store.follow(everything()));
    Random random = new Random(5);
    Set<String> acknowledged = new HashSet<>();
    Set<String> tried = new HashSet<>();
    Set<String> held = new HashSet<>();
    Position checked = Position.START;
    for (int kill = 0; kill < KILLS; kill++) {
      ChildProcess writer = startStorm(8, 128 << 10);
      for (int warm = 0; warm < 5; warm++) {
        List<String> said = writer.until("ack");
        ProcessConformance.addAcknowledged(acknowledged, said);
        addTried(tried, said);
      }
      Thread.sleep(random.nextInt(10), random.nextInt(1_000_000));
      List<String> said = writer.kill();
      ProcessConformance.addAcknowledged(acknowledged, said);
      addTried(tried, said);

      String next = newBatchId();
      TimeLimit deadline = TimeLimit.in(patience());
      store.append(NumberedBatch.of(next, OTHER, 2, 100));
      deadline.check("the append after kill " + kill);
      acknowledged.add(next);

      List<Frame> added = read(store, everything().after(checked));
      checked = added.get(added.size() - 1).position();
      held.addAll(NumberedBatch.assertWhole(added));
      assertThat(ids(take(follower, added.size()))).isEqualTo(ids(added));
      assertThat(held).as("batches in the log after kill %s", kill).containsAll(acknowledged);
    }
    Set<String> known = new HashSet<>(tried);
    known.addAll(held);
    Set<String> found = new HashSet<>();
    for (String id : known) {
      if (store.findBatch(id, Position.START).isPresent()) {
        found.add(id);
      }
    }
    assertThat(found).as("batches found by id").containsAll(held);
    // A server may still process the last batch of a killed writer.
    held.addAll(NumberedBatch.assertWhole(read(store, everything().after(checked))));
    assertThat(held).as("batches in the log").containsAll(found);
    report(
        tried.size()
            + " batches tried, "
            + acknowledged.size()
            + " acknowledged, "
            + held.size()
            + " held");
    assertThat(store.verify()).isEmpty();
    List<String> order = ids(readAll(store));
    store.close();
    List<Frame> reread = readAll(open());
    assertThat(ids(reread)).isEqualTo(order);
    assertInOrder(reread);
    assertIdsIncrease(reread);
  }

  private static void addTried(Set<String> tried, List<String> lines) {
    for (String line : lines) {
      if (line.startsWith("try ")) {
        tried.add(line.substring("try ".length()));
      }
    }
  }

  @Test
  @Requires(Capability.MULTI_PROCESS)
  void stoppedWriter_isNamedInTime() throws Exception {
    if (System.getProperty("os.name").startsWith("Windows")) {
      abortTest("this system has no signal that stops a process");
    }
    FrameStore store = open();
    append(store, TOPIC, "before");
    ChildProcess writer = startStorm(16, 16 << 10);
    writer.until("ack");
    Random random = new Random(3);
    int misnamed = 0;
    int late = 0;
    int stops = fixture().appendsUnderLock() ? STOPS_UNTIL_LOCKED : STOPS;
    for (int attempt = 0; attempt < stops; attempt++) {
      Thread.sleep(random.nextInt(5), random.nextInt(1_000_000));
      writer.stop();
      TimeLimit limit = TimeLimit.in(LOCKED_WITHIN);
      try {
        append(store, OTHER, "while the other may be stopped anywhere");
        late = countLate(late, limit, "an append beside a process that is stopped");
      } catch (LockedException locked) {
        assertThat(fixture().appendsUnderLock())
            .as("LOCKED although the fixture declares that appends do not block each other")
            .isTrue();
        int before = late;
        late = countLate(late, limit, "LOCKED");
        if (late > before) {
          writer.resume();
          continue;
        }
        if (locked.pid() != writer.pid() && misnamed < MISNAMED) {
          misnamed++;
          writer.resume(); // stopped after it acquired the lock and before it recorded its pid
          continue;
        }
        assertThat(locked.pid()).as("process named as the holder").isEqualTo(writer.pid());
        assertThat(locked.getMessage()).contains("" + writer.pid());
        report("LOCKED came at stop " + (attempt + 1));
        assertUsableOnceItIsGone(store, writer);
        return;
      }
      writer.resume();
    }
    if (fixture().appendsUnderLock()) {
      throw new AssertionError("LOCKED was never seen in " + stops + " stops amid large appends");
    }
    report(STOPS + " stops kept no one from appending");
  }

  /** Counts late answers: a busy machine delays some of them, a broken store all. */
  private static int countLate(int late, TimeLimit limit, String what) {
    if (!limit.left().isZero()) {
      return late;
    }
    assertThat(late + 1)
        .as("number of times that %s took longer than %s", what, LOCKED_WITHIN)
        .isLessThan(LATE);
    return late + 1;
  }

  private static void assertUsableOnceItIsGone(FrameStore store, ChildProcess writer)
      throws IOException, InterruptedException {
    assertThat(store.last(TopicFilter.of(TOPIC))).as("read beside the stopped writer").isPresent();
    writer.resume();
    writer.kill();
    Frame after = append(store, OTHER, "after");
    assertThat(store.last(TopicFilter.all()).orElseThrow().id()).isEqualTo(after.id());
    assertThat(store.verify()).isEmpty();
  }

  private ChildProcess startStorm(int frames, int length) throws Exception {
    ChildProcess writer = startChild(0);
    writer.done();
    writer.send("storm " + TOPIC + " 3 " + frames + " " + length);
    return writer;
  }
}
