package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.RalphException;
import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store in a work tree, in which somebody uses git while the store is in use. */
class GitTest {

  @TempDir Path repository;
  private Path directory;

  @BeforeEach
  void makeRepository() throws Exception {
    git("init -q -b main");
    Files.writeString(repository.resolve("code"), "first");
    git("add -A");
    git("commit -q -m first");
    git("branch other");
    directory = repository.resolve(".ralph/store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add -A",
        "commit -q -a -m more",
        "stash -u",
        "reset -q --hard HEAD~1",
        "checkout -q -- .",
        "clean -q -fd",
        "checkout -q -f other",
        "worktree add -q ../tree other"
      })
  void gitTakesNothingFromAStore(String command) throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      Files.writeString(repository.resolve("code"), "second");
      git("add -A");
      git("commit -q -m second");
      Files.writeString(repository.resolve("code"), "third");
      TestLog.append(store, TestLog.TOPIC, "two", "x".repeat(70_000));

      if (command.startsWith("worktree")) {
        git("worktree add -q " + repository.resolve("tree") + " other");
      } else {
        git(command);
      }

      TestLog.append(store, TestLog.TOPIC, "three");
      assertThat(TestLog.contents(store))
          .containsExactly("one", "two", "x".repeat(70_000), "three");
    }
    assertThat(git("ls-files")).doesNotContain(".ralph");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).hasSize(4);
      assertThat(store.verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"checkout -q -- .", "reset -q --hard", "stash -q -u"})
  void aTrackedLogThatGitPutsBackIsNoticedByWhoHasItOpen(String command) throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory);
        FrameStore reading = TestLog.open(directory);
        Follower follower = reading.follow(Query.of(TopicFilter.all()))) {
      TestLog.append(store, TestLog.TOPIC, "two");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      git(command);

      assertDamaged(() -> follower.poll(Duration.ofMinutes(1)));
      assertDamaged(() -> reading.topics(TopicFilter.all()));
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "on a state that is gone"));
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "again"));
      assertDamaged(() -> TestLog.contents(store));
    }
    assertGoesOn();
  }

  @Test
  void aTrackedLogThatGitPutsBackTogetherWithTheLockIsNoticed() throws Exception {
    makeTrackedStore();
    Path lock = directory.resolve("lock");
    byte[] ofAnother = Files.readAllBytes(lock);
    ofAnother[0] = '7';
    Files.write(lock, ofAnother);
    git("commit -q -a -m lock");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
      Files.setLastModifiedTime(lock, FileTime.from(Instant.now().plusSeconds(60))); // git looks
      git("checkout -q -- .");

      assertDamaged(() -> TestLog.append(store, TestLog.TOPIC, "on a state that is gone"));
    }
    assertGoesOn();
  }

  @Test
  void aTrackedLogThatGitPutsBackIsToldOfWhenItIsOpenedNext() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    git("checkout -q -- .");
    assertGoesOn();
  }

  @Test
  void aLongerLogOfAnotherBranchIsNotTakenForTheSame() throws Exception {
    makeTrackedStore();
    git("checkout -q -b longer");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "elsewhere", "z".repeat(5_000));
    }
    git("commit -q -a -m longer");
    git("checkout -q main");
    Files.delete(directory.resolve(".git/witness"));
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
      git("checkout -q -f longer");
      assertNotAppended(() -> TestLog.append(store, TestLog.TOPIC, "three"));
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).hasSize(1);
      assertThat(TestLog.contents(store)).startsWith("one", "elsewhere");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"add -A", "add -f -A"})
  void aLogThatAnOlderCommitPutsBackWithAllThatGitCouldTakeIsToldOf(String add) throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      for (String each : List.of("one", "two")) {
        TestLog.append(store, TestLog.TOPIC, each);
        if (!add.contains("-f")) {
          Files.delete(directory.resolve(".gitignore"));
        }
        git(add);
        git("commit -q -m " + each);
        Files.writeString(directory.resolve(".gitignore"), "*\n");
      }
    }
    git("reset -q --hard HEAD~1");
    assertGoesOn();
  }

  @Test
  void aTrackedLogThatComesBackFromTheStashIsWhole() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    git("stash -q -u");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).hasSize(1);
    }
    git("stash pop -q");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isEmpty();
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
    }
  }

  @Test
  void aLogThatGitRemovesIsNotMadeAnew() throws Exception {
    makeTrackedStore();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    git("commit -q -a -m more");
    git("checkout -q other");

    assertDamaged(() -> TestLog.open(directory));
    git("checkout -q main");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void aFileOfTheUsersOwnThatLetsGitSeeTheStoreStays() throws Exception {
    Files.createDirectories(directory);
    Path own = Files.writeString(directory.resolve(".gitignore"), "derived\n");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
    }
    assertThat(own).hasContent("derived");
  }

  /** One whose file for git somebody deleted, committed with one frame. */
  private void makeTrackedStore() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
    }
    Files.delete(directory.resolve(".gitignore"));
    git("add -A");
    git("commit -q -m store");
  }

  /** Whoever opens the store after "two" was lost is told, and goes on. */
  private void assertGoesOn() throws IOException {
    for (String after : List.of("three", "four")) {
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(TestLog.contents(store)).startsWith("one").doesNotContain("two");
        assertThat(store.verify()).singleElement().satisfies(GitTest::assertSaysWhatIsMissing);
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

  private static void assertSaysWhatIsMissing(Damage damage) {
    assertThat(damage.file()).isEqualTo("log/00000001.jsonl");
    assertThat(damage.bytes()).isPositive();
    assertThat(damage.description()).contains("bytes, but").contains("were acknowledged");
  }

  /**
   * Git puts the lock back as well, as another file, if the system has told it by then that the
   * lock changed: it is mapped into memory.
   */
  private static void assertNotAppended(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOf(RalphException.class)
        .hasMessageMatching("(?s).*(git checkout|replaced while it was in use).*");
  }

  private static void assertDamaged(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED))
        .hasMessageContaining("git checkout");
  }

  private String git(String command) throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("git", "-c", "user.name=test", "-c", "user.email=test@localhost"));
    words.addAll(List.of(command.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.directory(repository.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    return said;
  }
}
