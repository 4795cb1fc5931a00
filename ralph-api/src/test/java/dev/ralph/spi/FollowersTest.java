package dev.ralph.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cases that the TCK cannot create: the log fails, is slow, or counts its reads. */
@Timeout(60)
class FollowersTest {

  private static final Topic TOPIC = Topic.of("a.topic");
  private static final Query EVERYTHING = Query.of(TopicFilter.all());
  private static final Duration LONG = Duration.ofSeconds(50);

  private final List<Frame> log = new CopyOnWriteArrayList<>();
  private final AtomicInteger framesRead = new AtomicInteger();
  private final AtomicInteger openCursors = new AtomicInteger();
  private volatile Runnable onRead = () -> {};

  @Test
  void failedRead_affectsSingleFollower() throws Exception {
    try (Followers followers = new Followers(Cursor::new);
        Follower one = followers.follow(EVERYTHING);
        Follower other = followers.follow(EVERYTHING)) {
      Frame first = append(followers);
      assertThat(one.poll(LONG)).isSameAs(first);
      assertThat(other.poll(LONG)).isSameAs(first);

      Frame second = append(followers);
      onRead =
          () -> {
            onRead = () -> {};
            throw new IllegalStateException("the disk is gone");
          };
      assertThatThrownBy(() -> one.poll(LONG)).hasMessage("the disk is gone");

      assertThat(other.poll(LONG)).isSameAs(second);
      assertThat(one.poll(LONG)).isSameAs(second);
      assertThat(one.poll(Duration.ZERO)).isNull();
    }
    assertThat(openCursors).hasValue(0);
  }

  @Test
  void closeDuringRead_endsEveryPoll() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Followers followers = new Followers(Cursor::new);
    Follower one = followers.follow(EVERYTHING);
    Follower other = followers.follow(EVERYTHING);
    onRead =
        () -> {
          isReading.countDown();
          await(mayGoOn);
        };
    append(followers);
    FutureTask<Frame> reading = new FutureTask<>(() -> one.poll(LONG));
    start(reading);
    isReading.await();
    FutureTask<Void> closing = new FutureTask<>(followers::close, null);
    awaitState(start(closing), Thread.State.WAITING); // waits until the reader ends
    mayGoOn.countDown();

    closing.get();
    assertThatThrownBy(reading::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.CLOSED));
    assertThatThrownBy(() -> other.poll(LONG)).hasMessageContaining("closed");
    assertThat(openCursors).hasValue(0);
  }

  @Test
  void slowFollower_getsFramesReadByFast() throws Exception {
    try (Followers followers = new Followers(Cursor::new);
        Follower slow = followers.follow(EVERYTHING);
        Follower fast = followers.follow(EVERYTHING)) {
      for (int i = 0; i < 1_000; i++) {
        Frame frame = append(followers);
        assertThat(fast.poll(LONG)).isSameAs(frame);
      }
      for (Frame frame : log) {
        assertThat(slow.poll(LONG)).isSameAs(frame);
      }
      assertThat(slow.poll(Duration.ZERO)).isNull();
      assertThat(framesRead).as("each frame is read once for both followers").hasValue(log.size());
    }
  }

  @Test
  void interruptedReader_isReplacedByWaiting() throws Exception {
    try (Followers followers = new Followers(Cursor::new);
        Follower one = followers.follow(EVERYTHING);
        Follower other = followers.follow(EVERYTHING)) {
      for (int round = 0; round < 50; round++) {
        FutureTask<Frame> interrupted = new FutureTask<>(() -> one.poll(LONG));
        Thread thread = start(interrupted);
        awaitWaiting(thread);
        FutureTask<Frame> waiting = new FutureTask<>(() -> other.poll(LONG));
        awaitWaiting(start(waiting));
        thread.interrupt();
        Frame frame = append(followers);

        assertThat(waiting.get()).isSameAs(frame);
        try {
          assertThat(interrupted.get()).isSameAs(frame); // appended before the interrupt
        } catch (ExecutionException e) {
          assertThat(e).hasCauseInstanceOf(InterruptedException.class);
          assertThat(one.poll(LONG)).isSameAs(frame);
        }
      }
    }
  }

  @Test
  void waitingCallback_mayUseFollowers() throws Exception {
    AtomicInteger times = new AtomicInteger();
    Followers[] made = new Followers[1];
    Frame[] found = new Frame[1];
    Runnable onWaiting =
        () -> {
          times.incrementAndGet();
          FutureTask<Frame> elsewhere = new FutureTask<>(() -> found[0] = append(made[0]));
          try {
            start(elsewhere);
            elsewhere.get();
          } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
          }
        };
    try (Followers followers = new Followers(Cursor::new, onWaiting)) {
      made[0] = followers;
      try (Follower follower = followers.follow(EVERYTHING)) {
        assertThat(follower.poll(LONG)).isNotNull().isSameAs(found[0]);
        assertThat(follower.poll(Duration.ofMillis(1))).isNull();
      }
    }
    assertThat(times).hasValue(1);
  }

  private Frame append(Followers followers) {
    Position position = Position.of(log.size() + 1);
    Frame frame = Frame.of("" + position, position, Instant.EPOCH, Draft.of(TOPIC, Meta.empty()));
    log.add(frame);
    followers.appended();
    return frame;
  }

  private static Thread start(FutureTask<?> task) {
    Thread thread = new Thread(task, "follower");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitWaiting(Thread thread) {
    awaitState(thread, Thread.State.TIMED_WAITING);
  }

  private static void awaitState(Thread thread, Thread.State state) {
    while (thread.getState() != state) {
      Thread.onSpinWait();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private final class Cursor implements FrameCursor {

    private volatile Position position;
    private boolean isClosed;

    Cursor(Query query) {
      position = query.after();
      openCursors.incrementAndGet();
    }

    @Override
    public @Nullable Frame next() {
      onRead.run();
      int index = (int) position.value();
      if (index == log.size()) {
        return null;
      }
      position = log.get(index).position();
      framesRead.incrementAndGet();
      return log.get(index);
    }

    @Override
    public Position position() {
      return position;
    }

    @Override
    public List<Damage> damage() {
      return List.of();
    }

    @Override
    public synchronized void close() {
      if (!isClosed) {
        isClosed = true;
        openCursors.decrementAndGet();
      }
    }
  }
}
