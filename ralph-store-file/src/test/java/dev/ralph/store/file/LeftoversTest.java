package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Follower;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After closing, no thread is running and no file is open. */
class LeftoversTest {

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final Query EVERYTHING = Query.of(TopicFilter.all());

  @TempDir Path temp;
  private Path directory;
  private final Set<Thread> threadsBefore = new HashSet<>();
  private long watchesBefore;

  @BeforeEach
  void count() throws IOException {
    assumeTrue(Files.isDirectory(OPEN_FILES), "open files can't be counted here");
    directory = temp.toRealPath().resolve("store");
    threadsBefore.addAll(Thread.getAllStackTraces().keySet());
    watchesBefore = watches();
  }

  @Test
  void closedStores_leaveNoThreadsOrFiles() throws Exception {
    for (int i = 0; i < 3; i++) {
      FrameStore store = TestLog.open(directory);
      FrameStore second = TestLog.open(directory);
      useUp(store);
      useUp(second);
      second.close();
      store.close();
    }
    assertNothingIsLeft();
  }

  @Test
  void closedCursorAndFollower_leaveNothingOpen() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      useUp(store);
      List<String> needed = openFiles();
      for (int i = 0; i < 20; i++) {
        try (FrameCursor cursor = store.read(EVERYTHING);
            FrameCursor backward = store.read(EVERYTHING.backward());
            Follower follower = store.follow(EVERYTHING)) {
          assertThat(cursor.next()).isNotNull();
          assertThat(backward.next()).isNotNull();
          assertThat(follower.poll(Duration.ZERO)).isNotNull();
        }
      }
      assertThat(openFiles()).containsExactlyInAnyOrderElementsOf(needed);
    }
    assertNothingIsLeft();
  }

  @Test
  void reads_leaveNoFileOpen() {
    TestLog.writeSegments(directory, 2);
    FrameStore store = TestLog.open(directory);
    assertThat(TestLog.contents(store)).hasSize(2);
    assertThat(openFiles()).isEmpty();
    store.close();
  }

  @Test
  void failedWatch_leavesNothingOpen() throws Exception {
    FrameStore store = TestLog.open(directory);
    TestLog.append(store, TestLog.TOPIC, "one");
    try (Follower follower = store.follow(EVERYTHING)) {
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      Files.move(directory.resolve("log"), directory.resolve("away"));
      for (int i = 0; i < 10; i++) {
        assertThatThrownBy(() -> follower.poll(Duration.ofMillis(1)))
            .isInstanceOf(RalphException.class);
      }
      assertThat(watches() - watchesBefore).isLessThanOrEqualTo(1);
      Files.move(directory.resolve("away"), directory.resolve("log"));
    }
    store.close();
    assertNothingIsLeft();
  }

  /** Makes the store open all its files, threads and watches, and leaves them open. */
  private static void useUp(FrameStore store) throws InterruptedException {
    store.append(TestLog.batch(TestLog.TOPIC, "synced"));
    TestLog.append(store, TestLog.TOPIC, "written", "y".repeat(70_000));
    List<Thread> together = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> store.append(TestLog.batch(TestLog.TOPIC, "together")));
      thread.start();
      together.add(thread);
    }
    for (Thread thread : together) {
      thread.join();
    }
    assertThat(store.read(EVERYTHING).next()).isNotNull();
    assertThat(store.read(EVERYTHING.backward()).next()).isNotNull();
    Follower follower = store.follow(EVERYTHING.after(end(store)));
    assertThat(follower.poll(Duration.ofMillis(1))).isNull();
    assertThat(store.verify()).isEmpty();
  }

  private static Position end(FrameStore store) {
    return store.last(TopicFilter.all()).orElseThrow().position();
  }

  private void assertNothingIsLeft() throws InterruptedException, IOException {
    assertThat(openFiles()).as("open files").isEmpty();
    assertThat(startedSince()).as("threads").isEmpty();
    assertThat(watches()).as("watches").isLessThanOrEqualTo(watchesBefore);
  }

  private List<String> startedSince() throws InterruptedException {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      boolean ours = thread.getName().startsWith("ralph-") || thread.getName().contains("inotify");
      if (ours && !threadsBefore.contains(thread)) {
        thread.join(60_000); // the platform's watch thread ends a little later
        if (thread.isAlive()) {
          names.add(thread.getName());
        }
      }
    }
    return names;
  }

  private List<String> openFiles() {
    return targets().stream().filter(target -> target.startsWith(directory.toString())).toList();
  }

  private static long watches() {
    return targets().stream().filter(target -> target.contains("inotify")).count();
  }

  private static List<String> targets() {
    List<String> targets = new ArrayList<>();
    try (Stream<Path> links = Files.list(OPEN_FILES)) {
      for (Path link : links.toList()) {
        try {
          targets.add(Files.readSymbolicLink(link).toString());
        } catch (NoSuchFileException e) {
          continue; // the open file of the listing itself
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return targets;
  }
}
