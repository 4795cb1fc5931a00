package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.FrameValues;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The base of all suites: closes stores after each test and provides common assertions. A test
 * declares each required capability; for a store without the capability, the test checks that the
 * store rejects its use. Tests run in a fixed order, simple tests first. Therefore the first
 * failure is the most specific.
 */
@ExtendWith(CapabilityGate.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class StoreConformance {

  /** The order of a test before all remaining tests of a suite. */
  static final int PLAINEST = 1;

  static final Topic TOPIC = Topic.of("tck.main.events");
  static final Topic OTHER = Topic.of("tck.main.other");

  private static final AtomicLong BATCHES = new AtomicLong();

  @TempDir Path temporary;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private String running = "";

  /** Returns the fixture of the store under test. */
  protected abstract StoreFixture fixture();

  @BeforeEach
  final void rememberTestName(TestInfo test) {
    running = getClass().getSimpleName() + "." + test.getDisplayName();
  }

  @AfterEach
  final void closeResources() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
    fixture().drop(temporary);
  }

  /** Aborts a test that this machine cannot run with any store. */
  static void abortTest(String reason) {
    Assumptions.abort(reason);
  }

  /** Prints a line to the build output. */
  final void report(String line) {
    System.out.println("[tck] " + running + ": " + line);
  }

  // ---- stores

  /** Opens the test's store; a persistent store is the same each time. */
  final FrameStore open() {
    return open(config());
  }

  final FrameStore open(StoreConfig config) {
    return closeAfterwards(fixture().provider().open(config));
  }

  final StoreConfig config() {
    return fixture().place(temporary);
  }

  /** Closes and reopens a persistent store; returns any other store unchanged. */
  final FrameStore reopenIfPersistent(FrameStore store) {
    return reopenIfPersistent(store, config().clock());
  }

  final FrameStore reopenIfPersistent(FrameStore store, Clock clock) {
    if (!fixture().capabilities().contains(Capability.PERSISTENT)) {
      return store;
    }
    store.close();
    return open(config().clock(clock));
  }

  final <T extends AutoCloseable> T closeAfterwards(T resource) {
    opened.push(resource);
    return resource;
  }

  /** Starts a process that opens the test's store, with a shifted clock. */
  final ChildProcess startChild(long clockOffsetMillis, String... jvmArguments) throws IOException {
    return closeAfterwards(
        ChildProcess.start(fixture(), temporary, clockOffsetMillis, jvmArguments));
  }

  // ---- appending

  static String newBatchId() {
    return "b" + ProcessHandle.current().pid() + "-" + BATCHES.incrementAndGet();
  }

  static Batch batchOf(Topic topic, String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(topic, Meta.empty(), content));
    }
    return Batch.of(newBatchId(), drafts);
  }

  /** Appends a frame without a sync, which most tests do not need. */
  static Frame append(FrameStore store, Topic topic, String content) {
    Appended appended = store.append(batchOf(topic, content).synced(false));
    assertThat(appended.isConflict()).as("conflict without a condition").isFalse();
    assertThat(appended.frames()).hasSize(1);
    return appended.frames().get(0);
  }

  static List<Frame> appendEach(FrameStore store, Topic topic, int from, int to) {
    List<Frame> frames = new ArrayList<>();
    for (int i = from; i < to; i++) {
      frames.add(append(store, topic, topic + " " + i));
    }
    return frames;
  }

  // ---- reading

  static Query everything() {
    return Query.of(TopicFilter.all());
  }

  static List<Frame> readAll(FrameStore store) {
    return read(store, everything());
  }

  static List<String> contents(List<Frame> frames) {
    return frames.stream().map(Frame::content).collect(Collectors.toList());
  }

  static List<String> ids(List<Frame> frames) {
    return frames.stream().map(Frame::id).collect(Collectors.toList());
  }

  // ---- assertions

  static void assertSameFrames(List<Frame> actual, List<Frame> expected) {
    assertThat(FrameValues.all(actual)).containsExactlyElementsOf(FrameValues.all(expected));
  }

  static void assertConflict(Appended appended) {
    assertThat(appended.isConflict()).as("conflict").isTrue();
  }

  static void assertNoConflict(Appended appended) {
    assertThat(appended.isConflict()).as("conflict").isFalse();
  }

  static void assertFails(RalphException.Code code, ThrowingCallable action) {
    assertFails(code, "it", action);
  }

  static void assertFails(RalphException.Code code, String what, ThrowingCallable action) {
    Throwable failure = catchThrowable(action);
    assertThat(failure).as("%s fails with %s", what, code).isInstanceOf(RalphException.class);
    assertThat(((RalphException) failure).code()).as("code of: %s", failure).isEqualTo(code);
    assertThat(failure.getMessage()).as("message for users").isNotBlank();
  }

  /** Checks for increasing positions and unique ids. */
  final void assertInOrder(List<Frame> log) {
    assertThat(ids(log)).doesNotHaveDuplicates();
    Position last = Position.START;
    for (Frame frame : log) {
      if (!frame.position().isAfter(last)) {
        assertThat(frame.position()).as("position after %s of %s", last, frame).isGreaterThan(last);
      }
      last = frame.position();
    }
  }

  /**
   * Checks that ids increase along the log if the store declares MINTS_IDS; otherwise checks that
   * ids are unique.
   */
  final void assertIdsIncrease(List<Frame> log) {
    if (!fixture().capabilities().contains(Capability.MINTS_IDS)) {
      assertThat(ids(log)).doesNotHaveDuplicates();
      report("not given: MINTS_IDS; checked instead: no id comes twice");
      return;
    }
    String last = "";
    for (Frame frame : log) {
      if (frame.id().compareTo(last) <= 0) {
        assertThat(frame.id()).as("id after %s", last).isGreaterThan(last);
      }
      last = frame.id();
    }
  }
}
