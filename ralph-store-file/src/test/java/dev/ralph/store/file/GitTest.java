package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.GitRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store in a work tree, in which a user runs git while the store is in use. */
class GitTest {

  @TempDir Path folder;
  private GitRepository repository;
  private Path directory;

  @BeforeEach
  void makeRepository() throws Exception {
    repository = new GitRepository(folder);
    Files.writeString(folder.resolve("code"), "first");
    repository.git("add -A");
    repository.git("commit -q -m first");
    repository.git("branch other");
    directory = folder.resolve(".ralph/store");
  }

  @ParameterizedTest
  @ValueSource(strings = {"checkout -q -- .", "reset -q --hard", "stash -q -u"})
  void logRestoredByGit_failsOpenStore(String command) throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory);
        FrameStore reading = TestLog.open(directory);
        Follower follower = reading.follow(Query.of(TopicFilter.all()))) {
      TestLog.append(store, TestLog.TOPIC, "two");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      repository.git(command);

      assertDamaged(() -> follower.poll(Duration.ofMinutes(1)));
      assertDamaged(() -> reading.topics(TopicFilter.all()));
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "on a state that is gone"));
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "again"));
      assertDamaged(() -> TestLog.contents(store));
    }
    assertGoesOn();
  }

  @Test
  void logAndLockRestoredByGit_failOpenStore() throws Exception {
    makeTrackedStore();
    Path lock = directory.resolve("lock");
    byte[] ofAnother = Files.readAllBytes(lock);
    ofAnother[0] = (byte) (ofAnother[0] == '7' ? '8' : '7');
    Files.write(lock, ofAnother);
    repository.git("commit -q -a -m lock");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
      // makes git examine the file
      Files.setLastModifiedTime(lock, FileTime.from(Instant.now().plusSeconds(60)));
      repository.git("checkout -q -- .");

      assertDamaged(() -> TestLog.append(store, TestLog.TOPIC, "on a state that is gone"));
    }
    assertGoesOn();
  }

  @Test
  void logRestoredByGit_isReportedOnOpen() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    repository.git("checkout -q -- .");
    assertGoesOn();
  }

  @Test
  void longerLogOfOtherBranch_isDetected() throws Exception {
    makeTrackedStore();
    repository.git("checkout -q -b longer");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "elsewhere", "z".repeat(5_000));
    }
    repository.git("commit -q -a -m longer");
    repository.git("checkout -q main");
    Files.delete(directory.resolve(".git/witness"));
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
      repository.git("checkout -q -f longer");
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "three"));
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).hasSize(1);
      assertThat(TestLog.contents(store)).startsWith("one", "elsewhere");
    }
  }

  @Test
  void logOfOlderCommit_isReported() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      for (String each : List.of("one", "two")) {
        TestLog.append(store, TestLog.TOPIC, each);
        Files.deleteIfExists(directory.resolve(".git/HEAD"));
        repository.git("add -f -A");
        repository.git("commit -q -m " + each);
      }
    }
    repository.git("reset -q --hard HEAD~1");
    assertGoesOn();
  }

  @Test
  void stashedLog_isRestoredCompletely() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    repository.git("stash -q -u");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).hasSize(1);
    }
    repository.git("stash pop -q");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isEmpty();
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
    }
  }

  @Test
  void logRemovedByGit_isNotCreated() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    repository.git("commit -q -a -m more");
    repository.git("checkout -q other");

    assertDamaged(() -> TestLog.open(directory));
    repository.git("checkout -q main");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void ignoreFileOfUser_isKept() throws Exception {
    Files.createDirectories(directory);
    Path own = Files.writeString(directory.resolve(".gitignore"), "derived\n");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
    }
    assertThat(own).hasContent("derived");
  }

  /** Creates a store with one frame that a user has added to git by force. */
  private void makeTrackedStore() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
    }
    Files.delete(directory.resolve(".git/HEAD"));
    repository.git("add -f -A");
    repository.git("commit -q -m store");
  }

  /** The next process warns about the loss of "two" and continues. */
  private void assertGoesOn() throws IOException {
    for (String after : List.of("three", "four")) {
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(TestLog.contents(store)).startsWith("one").doesNotContain("two");
        assertThat(store.verify()).singleElement().satisfies(GitTest::assertNamesMissingBytes);
        TestLog.append(store, TestLog.TOPIC, after);
        assertThat(store.verify()).hasSize(1);
      }
    }
    Files.delete(directory.resolve("rolled-back"));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("one", "three", "four");
      assertThat(store.verify()).isEmpty();
    }
  }

  private static void assertNamesMissingBytes(Damage damage) {
    assertThat(damage.file()).isEqualTo("log/00000001.jsonl");
    assertThat(damage.bytes()).isPositive();
    assertThat(damage.description()).contains("bytes, but").contains("were acknowledged");
  }

  /**
   * Git also restores the lock, as a new file, if the system has already reported a change of the
   * mapped lock file.
   */
  private static void assertNotAppended(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOf(RalphException.class)
        .hasMessageMatching("(?s).*(git checkout|replaced while in use).*");
  }

  private static void assertDamaged(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED))
        .hasMessageContaining("git checkout");
  }
}
