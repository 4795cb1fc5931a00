package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.RalphException;
import dev.ralph.log.Durability;
import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that is deleted, moved, made anew, or put back by git while it is open. */
class GoneStoreTest {

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void name() {
    directory = temp.resolve("store");
  }

  @Test
  void aDeletedStoreTakesNothingMoreAndSaysSo() throws Exception {
    try (FrameStore store = TestQueue.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestQueue.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      delete(directory);
      assertIsGone(store, follower);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void aStoreMadeAnewIsAnotherOne() throws Exception {
    try (FrameStore store = TestQueue.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestQueue.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      delete(directory);
      try (FrameStore anew = TestQueue.open(directory)) {
        TestQueue.append(anew, "anew");
        assertIsGone(store, follower);
        TestQueue.append(anew, "more");
        assertThat(TestQueue.read(anew).contents()).containsExactly("anew", "more");
        assertThat(anew.verify()).isEmpty();
      }
    }
  }

  @Test
  void aMovedStoreGoesOnWhereItIs() throws Exception {
    try (FrameStore store = TestQueue.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestQueue.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      try (FrameStore there = TestQueue.open(Files.move(directory, temp.resolve("moved")))) {
        assertIsGone(store, follower);
        TestQueue.append(there, "two");
        assertThat(TestQueue.read(there).contents()).containsExactly("one", "two");
        assertThat(there.verify()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"checkout -q -- .", "reset -q --hard", "stash -q -u"})
  void aTrackedLogThatGitPutsBackIsToldOf(String command) throws Exception {
    try (FrameStore store = TestQueue.open(directory)) {
      TestQueue.append(store, "one");
    }
    git("init -q");
    Files.delete(directory.resolve(".gitignore"));
    Files.delete(directory.resolve(".git/witness"));
    git("add -A");
    git("commit -q -m store");
    try (FrameStore store = TestQueue.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestQueue.append(store, "two");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      git(command);
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(
              () -> follower.poll(Duration.ofMinutes(1)),
              () -> TestQueue.append(store, "three"),
              () -> TestQueue.read(store))) {
        assertThatThrownBy(use).isInstanceOf(RalphException.class);
      }
    }
    try (FrameStore store = TestQueue.open(directory)) {
      assertThat(TestQueue.read(store).contents()).containsExactly("one");
      assertThat(store.verify()).isNotEmpty();
      TestQueue.append(store, "three");
      assertThat(TestQueue.read(store).contents()).containsExactly("one", "three");
      assertThat(store.verify()).isNotEmpty();
    }
    Files.delete(directory.resolve("rolled-back"));
    try (FrameStore store = TestQueue.open(directory)) {
      TestQueue.append(store, "four");
      assertThat(TestQueue.read(store).contents()).containsExactly("one", "three", "four");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void gitDoesNotSeeAStore() throws Exception {
    git("init -q");
    try (FrameStore store = TestQueue.open(directory)) {
      TestQueue.append(store, "one");
      git("add -A");
      assertThat(git("ls-files")).isEmpty();
      git("clean -q -fd");
      TestQueue.append(store, "two");
      assertThat(TestQueue.read(store).contents()).containsExactly("one", "two");
    }
  }

  private static void assertIsGone(FrameStore store, Follower follower) {
    for (Durability durability : List.of(Durability.OS, Durability.SYNC)) {
      assertGone(() -> store.append(TestQueue.batch("lost").durability(durability)));
    }
    assertGone(() -> TestQueue.read(store));
    assertGone(() -> follower.poll(Duration.ofMinutes(1)));
  }

  private static void assertGone(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
        .hasMessageContaining("was deleted, moved or replaced while it was in use");
  }

  private static void delete(Path path) {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String git(String command) throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("git", "-c", "user.name=test", "-c", "user.email=test@localhost"));
    words.addAll(List.of(command.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.directory(temp.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    return said;
  }
}
