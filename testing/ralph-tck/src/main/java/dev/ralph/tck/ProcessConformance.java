package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.tck.internal.FrameValues;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that appending, reading and following processes of a store see the same log. */
@Requires(Capability.MULTI_PROCESS)
public abstract class ProcessConformance extends StoreConformance {

  private static final int WRITERS = 4;
  private static final long HOUR = 3_600_000;

  /** The bytes that a process reads besides the log, for example classes and commands. */
  private static final long OTHER_BYTES = 1 << 20;

  private List<ChildProcess> startChildren(int count) throws IOException {
    List<ChildProcess> children = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      children.add(startChild(0));
    }
    return children;
  }

  @Test
  void concurrentCreation_makesOneStore() throws Exception {
    Set<String> storeIds = new HashSet<>();
    for (ChildProcess child : startChildren(WRITERS)) {
      storeIds.add(child.done());
    }
    storeIds.add(open().info().storeId());
    assertThat(storeIds).hasSize(1);
  }

  @Test
  void processes_shareOneLog() throws Exception {
    int batches = 60;
    int frames = 3;
    int coldWriters = 3;
    int total = (WRITERS * batches + coldWriters) * frames;
    List<ChildProcess> writers = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      writers.add(startChild((w - 1) * HOUR));
    }
    ChildProcess reader = startChild(0);
    ChildProcess follower = startChild(0);
    List<ChildProcess> all = new ArrayList<>(writers);
    all.addAll(List.of(reader, follower));
    for (ChildProcess child : all) {
      child.done();
    }
    reader.send("read " + total);
    follower.send("follow 0 " + total);
    Set<String> acknowledged = new HashSet<>();
    for (ChildProcess writer : writers) {
      writer.send("append " + TOPIC + " " + batches + " " + frames + " 200");
    }
    for (int c = 0; c < coldWriters; c++) {
      ChildProcess cold = startChild(-2 * HOUR);
      cold.done();
      cold.send("append " + OTHER + " 1 " + frames + " 200");
      addAcknowledged(acknowledged, cold.until("done"));
      cold.close();
    }
    for (ChildProcess writer : writers) {
      addAcknowledged(acknowledged, writer.until("done"));
    }

    FrameStore store = open();
    List<Frame> log = readAll(store);
    assertThat(log).hasSize(total);
    assertInOrder(log);
    assertIdsIncrease(log);
    assertThat(NumberedBatch.assertWhole(log)).isEqualTo(acknowledged);
    report("a reader read the log " + reader.done() + " times while it grew");
    assertThat(follower.until("done"))
        .filteredOn(line -> line.startsWith("got "))
        .as("ids in the order of a following process")
        .containsExactlyElementsOf(
            log.stream().map(frame -> "got " + frame.id()).collect(Collectors.toList()));
  }

  static void addAcknowledged(Set<String> acknowledged, List<String> lines) {
    for (String line : lines) {
      if (line.startsWith("ack ")) {
        acknowledged.add(line.substring("ack ".length()));
      }
    }
  }

  @Test
  void racingProcesses_haveOneWinnerPerRound() throws Exception {
    int rounds = 300;
    List<ChildProcess> racers = startChildren(WRITERS);
    for (ChildProcess racer : racers) {
      racer.done();
    }
    long start = System.currentTimeMillis() + 200;
    for (ChildProcess racer : racers) {
      racer.send("race tck.race " + rounds + " " + start);
    }
    List<String> wins = new ArrayList<>();
    int racersThatWon = 0;
    for (ChildProcess racer : racers) {
      List<String> won = racer.until("done");
      won.remove(won.size() - 1);
      wins.addAll(won);
      racersThatWon += won.isEmpty() ? 0 : 1;
    }
    report(racersThatWon + " of " + WRITERS + " processes won rounds");
    assertThat(wins).doesNotHaveDuplicates().hasSize(rounds);
    assertThat(readAll(open())).hasSize(rounds);
  }

  @Test
  void closingOneOpening_keepsTheLock() throws Exception {
    FrameStore kept = open();
    ChildProcess other = startChild(0);
    other.done();
    other.send("append " + OTHER + " 200 3 2000");
    Set<String> acknowledged = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      FrameStore shortLived = fixture().provider().open(config());
      shortLived.last(TopicFilter.all());
      acknowledged.add(appendNumbered(shortLived));
      shortLived.close();
      acknowledged.add(appendNumbered(kept));
    }
    addAcknowledged(acknowledged, other.until("done"));
    List<Frame> log = readAll(kept);
    assertThat(NumberedBatch.assertWhole(log)).isEqualTo(acknowledged);
    assertInOrder(log);
    assertIdsIncrease(log);
    assertThat(kept.verify()).isEmpty();
  }

  private static String appendNumbered(FrameStore store) {
    String id = newBatchId();
    store.append(NumberedBatch.of(id, TOPIC, 3, 2_000).synced(false));
    return id;
  }

  /** Queries a second opening for frames that the first has just appended. */
  private void appendAndAsk(BiConsumer<FrameStore, List<Frame>> question) {
    FrameStore one = open();
    FrameStore two = open();
    append(one, TOPIC, "before");
    assertThat(readAll(two)).hasSize(1);
    for (int i = 0; i < 10; i++) {
      Topic topic = TOPIC.child("topic-" + i);
      question.accept(two, one.append(NumberedBatch.of("asked-" + i, topic, 2, 10)).frames());
    }
  }

  @Test
  @Order(PLAINEST)
  void foreignFrame_isFoundById() {
    appendAndAsk(
        (two, appended) -> {
          for (Frame frame : appended) {
            assertThat(two.get(frame.id()).map(FrameValues::of)).contains(FrameValues.of(frame));
          }
        });
  }

  @Test
  @Order(PLAINEST)
  void foreignTopic_isListed() {
    appendAndAsk(
        (two, appended) ->
            assertThat(two.topics(TopicFilter.all())).contains(appended.get(0).topic()));
  }

  @Test
  @Order(PLAINEST)
  void foreignFrame_isTheLast() {
    appendAndAsk(
        (two, appended) ->
            assertThat(two.last(TopicFilter.all()).map(FrameValues::of))
                .contains(FrameValues.of(appended.get(1))));
  }

  @Test
  @Order(PLAINEST)
  void backwardRead_startsWithForeignFrames() {
    appendAndAsk(
        (two, appended) ->
            assertSameFrames(
                read(two, everything().backward().limit(2)),
                List.of(appended.get(1), appended.get(0))));
  }

  @Test
  @Order(PLAINEST)
  void foreignBatch_isFoundById() {
    appendAndAsk(
        (two, appended) ->
            assertThat(
                    two.findBatch(NumberedBatch.batchOf(appended.get(0)), Position.START)
                        .map(FrameValues::all))
                .contains(FrameValues.all(appended)));
  }

  @Test
  @Order(PLAINEST)
  void endedCursor_continuesWithForeignFrames() {
    FrameStore one = open();
    FrameStore two = open();
    try (FrameCursor cursor = two.read(everything())) {
      for (int i = 0; i < 10; i++) {
        assertThat(cursor.next()).isNull();
        List<Frame> appended = one.append(NumberedBatch.of("read-" + i, TOPIC, 2, 10)).frames();
        assertSameFrames(rest(cursor), appended);
      }
    }
  }

  @Test
  @Order(PLAINEST)
  void foreignImport_isNotImportedAgain() {
    FrameStore one = open();
    FrameStore two = open();
    append(two, TOPIC, "before");
    for (int i = 0; i < 10; i++) {
      String id = new Scru128(Clock.systemUTC()).next();
      Draft draft = Draft.imported(id, Instant.EPOCH, TOPIC, Meta.empty(), "imported");
      assertThat(one.append(Batch.of(newBatchId(), List.of(draft))).frames()).hasSize(1);
      assertThat(two.append(Batch.of(newBatchId(), List.of(draft))).frames())
          .as("frames appended by a repeated import through another opening")
          .isEmpty();
    }
    assertThat(ids(readAll(one))).doesNotHaveDuplicates().hasSize(11);
  }

  @Test
  void verifyDuringAppends_reportsNoDamage() throws Exception {
    FrameStore store = open();
    ChildProcess writer = startChild(0);
    writer.done();
    writer.send("append " + TOPIC + " 120 16 4000");
    writer.until("ack");
    try (TestThreads testThreads = new TestThreads()) {
      FutureTask<String> writing = testThreads.call("waiting", writer::done);
      int verified = 0;
      while (!writing.isDone()) {
        assertThat(store.verify()).as("damage reported during appends").isEmpty();
        verified++;
      }
      testThreads.join();
      report("verified " + verified + " times while the log grew");
    }
    assertThat(NumberedBatch.assertWhole(readAll(store))).hasSize(120);
  }

  @Test
  void waitingFollower_isWokenByOtherProcess() throws Exception {
    FrameStore store = open();
    ChildProcess writer = startChild(0);
    writer.done();
    try (Follower follower = store.follow(Query.of(TopicFilter.of(OTHER)))) {
      for (int i = 0; i < 10; i++) {
        writer.send("append " + TOPIC + " 1 1 10");
        writer.send("append " + OTHER + " 1 2 10");
        assertThat(NumberedBatch.assertWhole(take(follower, 2))).hasSize(1);
      }
    }
  }

  @Test
  void follower_readsAtMostTwiceTheAppendedBytes() throws Exception {
    int warm = 200;
    int frames = 2_000;
    int length = 4_000;
    FrameStore store = open();
    ChildProcess follower = startChild(0);
    follower.done();
    follower.send("follow " + warm + " " + frames);
    for (int i = 0; i < warm; i++) {
      appendSized(store, length);
    }
    follower.until("ready");
    for (int i = 0; i < frames; i++) {
      appendSized(store, length);
    }
    long read = Long.parseLong(follower.done());
    if (read < 0) {
      abortTest("this system does not count the bytes that a process reads");
    }
    long appended = (long) frames * length;
    report("a follower read " + read + " bytes for " + appended + " bytes of content");
    assertThat(read).as("bytes read").isLessThanOrEqualTo(2 * appended + OTHER_BYTES);
  }

  @Test
  void readAfterPosition_readsOnlyNewBytes() throws Exception {
    int length = 4_000;
    FrameStore store = open();
    for (int i = 0; i < 4_000; i++) {
      appendSized(store, length);
    }
    List<Frame> newest = read(store, everything().backward().limit(101));
    ChildProcess reader = startChild(0);
    reader.done();
    String place = "after " + newest.get(100).position().value();
    reader.send(place);
    reader.done();
    reader.send(place);
    String[] counts = reader.done().split(" ");
    assertThat(counts[0]).as("frames read").isEqualTo("100");
    long read = Long.parseLong(counts[1]);
    if (read < 0) {
      abortTest("this system does not count the bytes that a process reads");
    }
    report("the newest 100 of 4000 frames took " + read + " bytes");
    assertThat(read).as("bytes read").isLessThanOrEqualTo(2L * 100 * length + OTHER_BYTES);
  }

  private static void appendSized(FrameStore store, int length) {
    store.append(NumberedBatch.of(newBatchId(), TOPIC, 1, length).synced(false));
  }
}
