package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store from an untrusted source cannot redirect writes, deletions or waits to files outside. */
public abstract class LinksContract extends StoreContract {

  private static final Snapshot.Key KEY = new Snapshot.Key("states", 1, TopicFilter.all());
  private static final Clock IN_TWO_DAYS = Clock.offset(Clock.systemUTC(), Duration.ofDays(2));
  private static final Duration NOT_FOR_EVER = Duration.ofSeconds(60);

  private Path outside;

  @BeforeEach
  void makeStore() throws IOException {
    outside = Files.createDirectory(temp.resolve("outside"));
    try (FrameStore store = open()) {
      Frame last = TestFrames.append(store, "small", large("kept"), large("erased")).get(2);
      TestFrames.append(store, "x".repeat(60_000), "x".repeat(60_000));
      Snapshot state = new Snapshot(last.id(), last.position(), new byte[] {1});
      store.snapshots().save(KEY, state);
      if (erases(store)) {
        store.erase(List.of(last.id()));
      }
      store.snapshots().save(KEY, state);
    }
    for (String folder : List.of("damaged", "content/ab", "derived/snapshots", "derived/index")) {
      Files.createDirectories(directory.resolve(folder));
    }
    Files.move(directory, temp.resolve("original"));
  }

  /** Restores the original store. */
  private void putInPlace() throws IOException {
    for (Path old : List.of(directory, outside)) {
      if (Files.exists(old)) {
        TestFrames.delete(old);
      }
    }
    TestFrames.copy(temp.resolve("original"), directory);
    Files.createDirectory(outside);
  }

  @Test
  void linkedFolder_isRejected() throws IOException {
    for (Path folder : all(Files::isDirectory)) {
      putInPlace();
      Path target = outside.resolve("folder");
      Files.move(folder, target);
      Files.createSymbolicLink(folder, target);
      Files.writeString(target.resolve("precious"), "mine");

      assertNothingChangesOutside("where a link is " + folder);
    }
  }

  @Test
  void linkedFile_isRejected() throws IOException {
    for (Path file : all(Files::isRegularFile)) {
      putInPlace();
      Path target = outside.resolve("file");
      Files.move(file, target);
      Files.createSymbolicLink(file, target);

      assertNothingChangesOutside("where a link is " + file);
    }
  }

  @Test
  void pipeInsteadOfFile_isRejectedWithoutBlocking() throws Exception {
    for (Path file : all(Files::isRegularFile)) {
      putInPlace();
      Files.delete(file);
      Process made = new ProcessBuilder("mkfifo", file.toString()).start();
      assertThat(made.waitFor()).isZero();

      assertTimeoutPreemptively(NOT_FOR_EVER, this::useEverything, () -> "a pipe: " + file);
    }
  }

  @Test
  void linkToStoreOrItsParent_isAccepted() throws IOException {
    putInPlace();
    Path link = Files.createSymbolicLink(temp.resolve("link"), directory);
    try (FrameStore store = open(link)) {
      TestFrames.append(store, "by a link");
    }
    Path above = Files.createSymbolicLink(temp.resolve("above"), temp);
    try (FrameStore store = open(above.resolve("store"))) {
      assertThat(TestFrames.contents(store)).contains("by a link");
    }
  }

  /** Returns all folders, or all files, of the store. */
  private List<Path> all(Predicate<Path> kind) throws IOException {
    Path original = temp.resolve("original");
    try (Stream<Path> found = Files.walk(original)) {
      return found
          .filter(path -> !path.equals(original) && kind.test(path))
          .map(path -> directory.resolve(original.relativize(path).toString()))
          .toList();
    }
  }

  private void assertNothingChangesOutside(String what) throws IOException {
    Map<String, String> before = state(outside);
    List<String> failures = useEverything();
    assertThat(state(outside)).as(what).isEqualTo(before);
    assertThat(failures).as(what).allSatisfy(each -> assertThat(each).doesNotContain("null"));
  }

  /** Calls every method of a store; returns the failures, for messages. */
  private List<String> useEverything() {
    List<String> failures = new ArrayList<>();
    FrameStore store;
    try {
      store = provider().open(StoreConfig.in(directory).clock(IN_TWO_DAYS));
    } catch (RalphException e) {
      return List.of(e.getMessage());
    }
    try (store) {
      attempt(failures, () -> TestFrames.append(store, "more", large("more")));
      attempt(failures, () -> TestFrames.append(store, "x".repeat(60_000), "x".repeat(60_000)));
      attempt(failures, () -> TestFrames.contents(store));
      attempt(failures, () -> store.snapshots().load(KEY));
      attempt(failures, () -> save(store));
      attempt(failures, store::verify);
      attempt(failures, store::removeLeftovers);
      if (erases(store)) {
        attempt(failures, () -> erase(store));
      }
    }
    return failures;
  }

  private static void save(FrameStore store) {
    store
        .last(TopicFilter.all())
        .ifPresent(
            last ->
                store
                    .snapshots()
                    .save(KEY, new Snapshot(last.id(), last.position(), new byte[] {2})));
  }

  private static void erase(FrameStore store) {
    List<String> ids = new ArrayList<>();
    TestFrames.frames(store, TopicFilter.of(TestFrames.TOPIC)).forEach(each -> ids.add(each.id()));
    store.erase(ids.subList(0, Math.min(2, ids.size())));
  }

  private static boolean erases(FrameStore store) {
    return store.info().capabilities().contains(Capability.ERASES);
  }

  private static void attempt(List<String> failures, Runnable use) {
    try {
      use.run();
    } catch (RalphException e) {
      failures.add(e.getMessage());
    }
  }

  /** Returns the contents and the times of all files below a folder. */
  private static Map<String, String> state(Path folder) throws IOException {
    Map<String, String> state = new TreeMap<>();
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path path : found.toList()) {
        String content = Files.isRegularFile(path) ? hash(path) : "";
        state.put(path.toString(), Files.getLastModifiedTime(path) + " " + content);
      }
    }
    return state;
  }

  private static String hash(Path file) throws IOException {
    return Files.size(file) + " " + Arrays.hashCode(Files.readAllBytes(file));
  }

  private static String large(String text) {
    return text + "x".repeat(100_000);
  }
}
