package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.Reading.take;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.tck.internal.TimeLimit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that erased frames are removed from all stored data, and that all readers notice. */
@Requires(Capability.ERASES)
public abstract class EraseConformance extends StoreConformance {

  private static final String SECRET = "sesame-7Jq0";
  private static final int KILLS = 4;

  /** Exceeds the number of frames in a batch of erasure notices. */
  private static final int MANY = 1_500;

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Snapshot.Key KEY = new Snapshot.Key("tck", 1, TopicFilter.of(TOPIC));

  private static final List<TopicFilter> OF_TOPIC =
      List.of(
          TopicFilter.all(),
          TopicFilter.of(TOPIC),
          TopicFilter.of(TOPIC, OTHER),
          TopicFilter.parse("tck.main.*"),
          TopicFilter.parse("tck.other.*").or(TopicFilter.parse("tck.*")));

  private static final List<TopicFilter> OF_OTHERS =
      List.of(
          TopicFilter.of(OTHER),
          TopicFilter.of(OTHER, Topic.of(TOPIC + "2")),
          TopicFilter.parse(TOPIC + ".*"),
          TopicFilter.parse("tck.other.*"));

  @Test
  @Order(PLAINEST)
  void erasedFrame_keepsIdTopicTimeAndPosition() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    Frame frame = append(store, TOPIC, SECRET);
    append(store, TOPIC, "after");

    assertThat(store.erase(List.of(frame.id()))).isEqualTo(1);

    for (FrameStore each : List.of(store, reopenIfPersistent(store))) {
      if (each == store && fixture().capabilities().contains(Capability.PERSISTENT)) {
        continue; // the store is closed
      }
      assertThat(contents(readAll(each))).containsExactly("before", "", "after", "");
      Frame left = each.get(frame.id()).orElseThrow();
      assertThat(left.isErased()).isTrue();
      assertThat(left.meta()).isEqualTo(Meta.empty());
      assertThat(left.content()).isEmpty();
      assertThat(left.topic()).isEqualTo(TOPIC);
      assertThat(left.time()).isEqualTo(frame.time());
      assertThat(left.position()).isEqualTo(frame.position());
      assertThat(each.verify()).isEmpty();
    }
  }

  @Test
  void otherFrames_areUnchangedByErasure() {
    FrameStore store = open();
    List<Frame> kept = new ArrayList<>();
    List<String> erased = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Topic topic = i % 3 == 0 ? OTHER : TOPIC;
      List<Frame> batch = store.append(batchOf(topic, "a " + i, SECRET + i, "c " + i)).frames();
      erased.add(batch.get(1).id());
      kept.addAll(List.of(batch.get(0), batch.get(2)));
    }
    assertThat(store.erase(erased)).isEqualTo(erased.size());
    kept.add(append(store, TOPIC, "after"));
    store = reopenIfPersistent(store);
    kept.add(append(store, TOPIC, "and opened again"));

    List<Frame> log = readAll(store);
    assertInOrder(log);
    assertSameFrames(log.stream().filter(EraseConformance::isOrdinary).toList(), kept);
    assertThat(log).filteredOn(Frame::isErased).extracting(Frame::id).isEqualTo(erased);
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void metadataAndContentOfAnySize_areErased() {
    FrameStore store = open();
    List<String> ids = new ArrayList<>();
    for (int size : new int[] {1, 2, 3, 5, 8, 13, 100, 5_000, 70_000, 1 << 20}) {
      String text = "x".repeat(size);
      for (Draft draft :
          List.of(
              Draft.of(TOPIC, Meta.empty(), text),
              Draft.of(TOPIC, Meta.of("k", text.substring(0, Math.min(size, 5_000)))),
              Draft.of(TOPIC, Meta.of("k", 1)),
              Draft.of(TOPIC, Meta.of("\u00e9\"\\", List.of("\n")), text))) {
        ids.addAll(ids(store.append(Batch.of(newBatchId(), List.of(draft))).frames()));
      }
    }
    assertThat(store.erase(ids)).isEqualTo(ids.size());
    store = reopenIfPersistent(store);
    for (String id : ids) {
      Frame left = store.get(id).orElseThrow();
      assertThat(left.isErased()).as("erased: %s", left).isTrue();
      assertThat(left.meta().json() + left.content()).isEqualTo("{}");
    }
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void erasedText_isInNoFile() throws IOException {
    FrameStore store = open();
    append(store, TOPIC, "first");
    List<String> ids = new ArrayList<>();
    String large = SECRET.repeat(20_000);
    for (Draft draft :
        List.of(
            Draft.of(TOPIC, Meta.empty(), SECRET),
            Draft.of(OTHER, Meta.of("password", SECRET)),
            Draft.of(TOPIC, Meta.of("password", SECRET), "as " + SECRET + " says"),
            Draft.of(OTHER, Meta.empty(), large))) {
      ids.addAll(ids(store.append(Batch.of(newBatchId(), List.of(draft))).frames()));
    }
    for (int i = 0; i < 2_000; i++) {
      append(store, OTHER, "enough for an index " + i);
    }
    Frame frame = append(store, TOPIC, "last");
    store.snapshots().save(KEY, snapshot(frame));
    readAll(store);
    store = reopenIfPersistent(store);

    store.erase(ids);

    assertHeldNowhere();
    assertThat(store.snapshots().load(KEY)).isEmpty();
    store.snapshots().save(KEY, snapshot(frame)); // by a process that has not noticed the erasure
    assertHeldNowhere();
    assertThat(store.snapshots().load(KEY)).isEmpty();
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void erasure_removesSnapshotsOfItsTopicsOnly() {
    FrameStore store = open();
    Frame before = append(store, OTHER, "before");
    Frame secret = append(store, TOPIC, SECRET);
    List<TopicFilter> folded = new ArrayList<>(OF_TOPIC);
    folded.addAll(OF_OTHERS);
    for (TopicFilter filter : folded) {
      store.snapshots().save(key(filter), snapshot(secret));
    }
    store.erase(List.of(secret.id()));
    assertOfOthers(store, secret);

    for (TopicFilter filter : folded) {
      // by a process that has not noticed the erasure
      store.snapshots().save(key(filter), snapshot(before));
    }
    assertOfOthers(store, before);
    store = reopenIfPersistent(store);
    if (fixture().capabilities().contains(Capability.PERSISTENT)) {
      assertOfOthers(store, before);
    }
    Frame since = append(store, TOPIC, "since");
    for (TopicFilter filter : OF_TOPIC) {
      store.snapshots().save(key(filter), snapshot(since));
      assertThat(store.snapshots().load(key(filter)).isPresent())
          .as("newer snapshot of %s", filter)
          .isEqualTo(fixture().keepsSnapshots());
    }
  }

  private void assertOfOthers(FrameStore store, Frame last) {
    for (TopicFilter filter : OF_TOPIC) {
      assertThat(store.snapshots().load(key(filter))).as("snapshot of %s", filter).isEmpty();
    }
    for (TopicFilter filter : OF_OTHERS) {
      assertThat(store.snapshots().load(key(filter)).map(Snapshot::frameId))
          .as("snapshot of %s", filter)
          .isEqualTo(fixture().keepsSnapshots() ? Optional.of(last.id()) : Optional.empty());
    }
  }

  private static Snapshot.Key key(TopicFilter filter) {
    return new Snapshot.Key("a fold of the kit's", 1, filter);
  }

  private void assertHeldNowhere() throws IOException {
    assertThat(fixture().whereHeld(temporary, SECRET)).as("location of the erased text").isNull();
  }

  private static Snapshot snapshot(Frame last) {
    byte[] state = SECRET.getBytes(StandardCharsets.UTF_8);
    return new Snapshot(last.id(), last.position(), state);
  }

  @Test
  void sharedContent_isKeptForOtherFrames() {
    FrameStore store = open();
    String shared = "shared ".repeat(30_000);
    Frame kept = append(store, TOPIC, shared);
    Frame erased = append(store, OTHER, shared);
    Frame second = append(store, OTHER, shared);
    store.erase(List.of(erased.id(), second.id()));
    store = reopenIfPersistent(store);
    assertThat(store.get(kept.id()).orElseThrow().content()).isEqualTo(shared);
    assertThat(store.verify()).isEmpty();
    append(store, OTHER, shared);
    store.erase(List.of(kept.id()));
    assertThat(store.last(TopicFilter.of(OTHER)).orElseThrow().content()).isEqualTo(shared);
  }

  @Test
  void erasure_appendsOneNoticePerTopic() throws InterruptedException {
    FrameStore store = open();
    Frame one = append(store, TOPIC, "one");
    Frame two = append(store, OTHER, "two");
    Frame three = append(store, TOPIC, "three");
    Frame bystander = append(store, Topic.of("tck.third"), "bystander");
    try (Follower follower = store.follow(everything().after(bystander.position()))) {
      store.erase(List.of(three.id(), two.id(), one.id()));
      List<Frame> notices = take(follower, 2);
      assertThat(notices).allMatch(Frame::isErasureNotice);
      assertThat(notices).extracting(Frame::topic).containsExactlyInAnyOrder(TOPIC, OTHER);
      for (Frame notice : notices) {
        String[] ids =
            notice.topic().equals(TOPIC)
                ? new String[] {one.id(), three.id()}
                : new String[] {two.id()};
        assertThat(notice.erasedIds()).containsExactlyInAnyOrder(ids);
      }
    }
  }

  @Test
  void erasure_conflictsWithConditions() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, "decided on");
    Frame other = append(store, OTHER, "not erased");
    store.erase(List.of(frame.id()));
    assertConflict(store.append(decidedOn(TOPIC, frame.position())));
    assertNoConflict(store.append(decidedOn(OTHER, other.position())));
  }

  private static Batch decidedOn(Topic topic, Position since) {
    return batchOf(topic, "decision").onlyIf(new Batch.Condition(TopicFilter.of(topic), since));
  }

  @Test
  void repeatedErasure_doesNothing() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, SECRET);
    store.erase(List.of(frame.id()));
    List<Frame> log = readAll(store);
    assertThat(store.erase(List.of(frame.id(), frame.id()))).isZero();
    assertThat(store.erase(List.of())).isZero();
    assertSameFrames(readAll(store), log);
  }

  @Test
  void unknownId_erasesNothing() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, "kept");
    String unknown = "0".repeat(25);
    assertFails(Code.NOT_FOUND, () -> store.erase(List.of(frame.id(), unknown)));
    assertFails(Code.NOT_FOUND, () -> store.erase(List.of("no id")));
    assertThat(contents(readAll(store))).containsExactly("kept");
  }

  @Test
  void batchOfErasedFrame_isFoundById() {
    FrameStore store = open();
    Batch batch = batchOf(TOPIC, "one", SECRET, "three");
    List<Frame> frames = store.append(batch).frames();
    store.erase(List.of(frames.get(1).id()));
    List<Frame> found = store.findBatch(batch.id(), Position.START).orElseThrow();
    assertThat(contents(found)).containsExactly("one", "", "three");
  }

  @Test
  void import_doesNotRestoreErasedFrame() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, SECRET);
    store.erase(List.of(frame.id()));
    Draft copy = Draft.imported(frame.id(), frame.time(), TOPIC, frame.meta(), SECRET);
    assertThat(store.append(Batch.of(newBatchId(), List.of(copy))).frames()).isEmpty();
    assertThat(store.get(frame.id()).orElseThrow().isErased()).isTrue();
  }

  @Test
  void openCursor_continuesAfterErasure() {
    FrameStore store = open();
    List<Frame> frames = appendEach(store, TOPIC, 0, 3_000);
    try (FrameCursor cursor = store.read(everything())) {
      cursor.next();
      store.erase(ids(frames));
      assertThat(ids(rest(cursor)))
          .startsWith(ids(frames.subList(1, 3_000)).toArray(String[]::new));
      assertThat(cursor.damage()).isEmpty();
    }
  }

  @Test
  @Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
  void readDuringErasure_reportsNoDamage() throws Exception {
    FrameStore store = open();
    Map<String, String> contents = appendSecrets(store);
    ChildProcess child = startChild(0);
    child.done();
    child.send("erase " + TOPIC);
    int erased = 0;
    TimeLimit deadline = TimeLimit.in(patience());
    while (erased < contents.size()) {
      erased = assertOldOrErased(readAll(store), contents);
      deadline.check(erased + " frames are erased");
    }
    child.done();
    assertThat(store.verify()).isEmpty();
    assertHeldNowhere();
  }

  @Test
  @Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
  void killedErasure_leavesFramesWholeOrErased() throws Exception {
    Random random = new Random(13);
    FrameStore store = open();
    for (int kill = 0; kill < KILLS; kill++) {
      Map<String, String> contents = appendSecrets(store);
      ChildProcess child = startChild(0);
      child.done();
      child.send("erase " + TOPIC);
      child.until("ack");
      Thread.sleep(random.nextInt(10), random.nextInt(1_000_000));
      List<String> said = child.kill();

      FrameStore opened = open();
      for (FrameStore each : List.of(store, opened)) {
        assertOldOrErased(readAll(each), contents);
        assertThat(each.verify()).as("damage after kill %s", kill).isEmpty();
      }
      for (String line : said) {
        if (line.startsWith("ack ")) {
          assertThat(store.get(line.substring("ack ".length())).orElseThrow().isErased()).isTrue();
        }
      }
      append(store, OTHER, "the next one to append does the rest");
      assertWhatIsErasedIsTold(store);
      store.erase(List.copyOf(contents.keySet()));
      assertHeldNowhere();
      opened.close();
    }
    assertThat(store.verify()).isEmpty();
  }

  @Test
  @Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
  void killedErasure_erasesAllFramesOrNone() throws Exception {
    Random random = new Random(17);
    FrameStore store = open();
    for (int kill = 0; kill < KILLS; kill++) {
      Topic topic = Topic.of("test.erase.all-" + kill);
      List<Draft> drafts = Collections.nCopies(MANY / 2, Draft.of(topic, Meta.empty(), SECRET));
      store.append(Batch.of(UUID.randomUUID().toString(), drafts));
      store.append(Batch.of(UUID.randomUUID().toString(), drafts));
      ChildProcess child = startChild(0);
      child.done();
      child.send("erase-all " + topic);
      child.until("ready");
      Thread.sleep(random.nextInt(60));
      child.kill();

      try (FrameStore opened = open()) {
        long begun = System.nanoTime(); // a server may still process the request
        int erased = erasedOf(opened, topic);
        while (erased % MANY != 0 && System.nanoTime() - begun < PATIENCE.toNanos()) {
          erased = erasedOf(opened, topic);
        }
        assertThat(erased).as("frames erased by kill %d", kill).isIn(0, MANY);
        assertThat(opened.verify()).isEmpty();
      }
    }
  }

  private static int erasedOf(FrameStore store, Topic topic) {
    return (int)
        readAll(store).stream()
            .filter(frame -> frame.topic().equals(topic) && frame.isErased())
            .count();
  }

  private static Map<String, String> appendSecrets(FrameStore store) {
    Map<String, String> contents = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      String content = (SECRET + i).repeat(i % 10 == 0 ? 20_000 : 5_000);
      contents.put(append(store, TOPIC, content).id(), content);
    }
    return contents;
  }

  /** Checks that each frame is unchanged or erased, and returns the number of erased ones. */
  private static int assertOldOrErased(List<Frame> log, Map<String, String> contents) {
    int erased = 0;
    for (Frame frame : log) {
      String content = contents.get(frame.id());
      if (content == null) {
        continue;
      }
      if (frame.isErased()) {
        erased++;
      } else {
        String says = frame.content(); // empty if the frame was erased after it was read
        assertThat(says.isEmpty() || says.equals(content)).as("content of %s", frame.id()).isTrue();
      }
    }
    return erased;
  }

  /**
   * Waits for the notices, because a server may still process the killed process's last request.
   */
  private static void assertWhatIsErasedIsTold(FrameStore store) throws InterruptedException {
    long begun = System.nanoTime();
    while (!noticedIds(store).equals(erasedIn(store))
        && System.nanoTime() - begun < PATIENCE.toNanos()) {
      Thread.sleep(10);
    }
    assertThat(noticedIds(store)).isEqualTo(erasedIn(store));
  }

  private static Set<String> noticedIds(FrameStore store) {
    Set<String> ids = new TreeSet<>();
    readAll(store).stream()
        .filter(Frame::isErasureNotice)
        .forEach(each -> ids.addAll(each.erasedIds()));
    return ids;
  }

  private static Set<String> erasedIn(FrameStore store) {
    return new TreeSet<>(ids(readAll(store).stream().filter(Frame::isErased).toList()));
  }

  private static boolean isOrdinary(Frame frame) {
    return !frame.isErased() && !frame.isErasureNotice();
  }
}
