package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Tests stores on servers: no frame is lost or duplicated if connections are closed at any step.
 * For local stores, only the location is checked.
 */
public abstract class ConnectionConformance extends StoreConformance {

  /** Exceeds the number of messages of one append on a new connection. */
  private static final int PIECES = 8;

  @Test
  @Order(PLAINEST)
  void closedConnection_losesAndRepeatsNoAppend() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    FrameStore store = openBy(proxy);
    FrameStore direct = open();
    List<Frame> known = new ArrayList<>();
    int inDoubt = 0;
    for (int pieces = 0; pieces < PIECES; pieces++) {
      for (CutProxy.Side side : CutProxy.Side.values()) {
        for (int step = 0; step < 4; step++) {
          boolean isNewConnection = step >= 2;
          if (isNewConnection) {
            proxy.cut();
          }
          proxy.cutAfter(pieces, side, step % 2 == 1, false);
          Batch batch = batchOf(TOPIC, "cut after " + pieces + " of " + side + ", " + step, "next");
          try {
            known.addAll(store.append(batch).frames());
          } catch (IndeterminateException e) {
            inDoubt++;
            assertThat(e.batchId()).isEqualTo(batch.id());
            direct.findBatch(batch.id(), Position.START).ifPresent(known::addAll);
          }
          assertThat(ids(direct.findBatch(batch.id(), Position.START).orElseThrow()))
              .isEqualTo(ids(known.subList(known.size() - 2, known.size())));
        }
      }
    }
    proxy.restore();
    assertSameFrames(readAll(direct), known);
    assertSameFrames(readAll(store), known);
    assertThat(proxy.cuts()).as("number of cuts").isGreaterThan(PIECES * 4);
    report(proxy.cuts() + " cuts, " + known.size() + " frames, " + inDoubt + " in doubt");
  }

  @Test
  void lostAnswer_conditionalAppendSucceeds() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    Position seen = append(open(), TOPIC, "before").position();
    FrameStore store = openBy(proxy); // the connection carries only the next append
    Batch.Condition condition = new Batch.Condition(TopicFilter.of(TOPIC), seen);
    proxy.cutAfter(0, CutProxy.Side.SERVER, false, false);
    Appended appended = store.append(batchOf(TOPIC, "decided").onlyIf(condition));
    assertNoConflict(appended);
    assertConflict(store.append(batchOf(TOPIC, "too late").onlyIf(condition)));
    assertThat(contents(readAll(open()))).containsExactly("before", "decided");
  }

  @Test
  void closeDuringUnknownOutcome_isIndeterminate() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    FrameStore store = openBy(proxy);
    int cuts = proxy.cuts();
    proxy.cutAfter(0, CutProxy.Side.SERVER, false, true);
    Batch batch = batchOf(TOPIC, "in doubt");
    try (TestThreads testThreads = new TestThreads()) {
      FutureTask<Throwable> appending = testThreads.call("append", () -> catchAppend(store, batch));
      proxy.awaitCut(cuts);
      store.close();
      assertThat(appending.get())
          .isInstanceOfSatisfying(
              IndeterminateException.class, e -> assertThat(e.batchId()).isEqualTo(batch.id()));
    }
    assertThat(open().findBatch(batch.id(), Position.START)).as("batch in the log").isPresent();
  }

  private static Throwable catchAppend(FrameStore store, Batch batch) {
    return catchThrowable(() -> store.append(batch));
  }

  @Test
  void follower_waitsForTheServer() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    FrameStore store = openBy(proxy);
    FrameStore direct = open();
    Follower follower = closeAfterwards(store.follow(everything()));
    List<Frame> appended = new ArrayList<>();
    List<Frame> followed = new ArrayList<>();
    for (int outage = 0; outage < 3; outage++) {
      appended.addAll(appendEach(direct, TOPIC, 0, 5));
      followed.addAll(take(follower, 5));
      proxy.shut();
      appended.addAll(appendEach(direct, TOPIC, 5, 10));
      assertFails(Code.UNAVAILABLE, "a poll", () -> pollThrough(follower));
      try (TestThreads testThreads = new TestThreads()) {
        FutureTask<List<Frame>> waiting = testThreads.startWaiting(() -> take(follower, 5));
        proxy.restore();
        followed.addAll(waiting.get());
      }
    }
    assertSameFrames(followed, appended);
  }

  /** Polls through buffered frames until the follower needs the server. */
  private static void pollThrough(Follower follower) throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      assertThat(follower.poll(Duration.ofMillis(20))).as("frame without a server").isNull();
    }
  }

  @Test
  void followerWithoutServer_canBeWokenAndClosed() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    FrameStore store = openBy(proxy);
    Follower follower = store.follow(everything());
    proxy.shut();
    try (TestThreads testThreads = new TestThreads()) {
      FutureTask<Frame> woken = testThreads.startWaiting(() -> follower.poll(Duration.ofHours(1)));
      follower.wakeup();
      assertThat(woken.get()).isNull();
      FutureTask<Frame> closed = testThreads.startWaiting(() -> follower.poll(Duration.ofHours(1)));
      follower.close();
      assertThat(catchThrowable(closed::get)).hasCauseInstanceOf(ClosedException.class);
    } catch (ClosedException told) {
      // TestThreads reports the exception of the closed poll
    }
  }

  @Test
  void missingServer_isUnavailable() throws Exception {
    if (isOnThisMachine()) {
      return;
    }
    CutProxy proxy = proxy();
    proxy.shut();
    assertFails(Code.UNAVAILABLE, "open", () -> openBy(proxy));
  }

  // ---- connection to the server

  private boolean isOnThisMachine() {
    if (fixture().server() != null) {
      return false;
    }
    FrameStore store = open();
    String location = store.info().location();
    assertThat(location.isEmpty() || !isElsewhere(location))
        .as("location %s is local, or the fixture returns its server", location)
        .isTrue();
    report("on this machine; checked instead: its location says so");
    return true;
  }

  /** Returns whether an address is on a remote host; {@code kind:///path} is on this one. */
  private static boolean isElsewhere(String location) {
    String server = StoreConfig.at(location).server();
    return server != null && !server.contains(":///");
  }

  private CutProxy proxy() throws IOException {
    InetSocketAddress server = fixture().server();
    if (server == null) {
      throw new IllegalStateException("no server");
    }
    return closeAfterwards(new CutProxy(server));
  }

  private FrameStore openBy(CutProxy proxy) {
    return open(fixture().placeBy(temporary, proxy.port()));
  }
}
