package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.GitRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests git commands in a work tree while its store is open. */
class GitTest {

  @TempDir Path temp;
  private Path directory;
  private GitRepository repository;

  @BeforeEach
  void makeRepository() throws Exception {
    directory = temp.resolve("store");
    repository = new GitRepository(temp);
  }

  @ParameterizedTest
  @ValueSource(strings = {"checkout -q -- .", "reset -q --hard", "stash -q -u"})
  void trackedLog_restoredByGitIsReported(String command) throws Exception {
    try (FrameStore store = TestQueue.open(directory)) {
      TestQueue.append(store, "one");
    }
    Files.delete(directory.resolve(".git/HEAD"));
    Files.delete(directory.resolve(".git/witness"));
    repository.git("add -f -A");
    repository.git("commit -q -m store");
    try (FrameStore store = TestQueue.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestQueue.append(store, "two");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      repository.git(command);
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
}
