package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.ClosedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests following a folder, into which any program writes. */
@Timeout(120)
class TxFollowerTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String WHOLE =
      "---\nto: brain/brain\nfrom: core/core\ntype: task\n---\nText\n";

  @TempDir Path folder;
  private Path messages;

  @BeforeEach
  void makeFolder() throws IOException {
    messages = Files.createDirectories(folder.resolve("msgs"));
  }

  private TxFollower follow(TxFilter filter, int limit) {
    return TxView.of(TxFolder.of(folder), Clock.systemUTC()).follow(filter, limit);
  }

  private Path put(String id, String text) throws IOException {
    return Files.writeString(messages.resolve("0101000000-task-core--brain-" + id + ".md"), text);
  }

  private static List<String> next(TxFollower follower, Duration patience)
      throws InterruptedException {
    return follower.next(patience).stream()
        .map(listed -> listed.file() == null ? "unreadable" : listed.message().id())
        .toList();
  }

  @Test
  void existingFiles_areShownBeforeNewFiles() throws Exception {
    put("old", WHOLE);
    put("older", WHOLE);
    try (TxFollower follower = follow(TxFilter.ALL, 1)) {
      assertThat(next(follower, LONG)).containsExactly("older");

      put("new", WHOLE);
      assertThat(next(follower, LONG)).containsExactly("new");
      Path file = put("newer", WHOLE);
      assertThat(next(follower, LONG)).containsExactly("newer");

      Files.writeString(file, WHOLE + "more");
      put("newest", WHOLE);
      assertThat(next(follower, LONG)).containsExactly("newest");
      assertThat(next(follower, Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void incompleteFile_isShownWhenComplete() throws Exception {
    try (TxFollower follower = follow(TxFilter.ALL, 0)) {
      assertThat(next(follower, LONG)).isEmpty();
      Path file = put("slow", "---\nto: brain/brain\n");
      put("other", WHOLE);
      assertThat(next(follower, LONG)).containsExactly("other");

      Files.writeString(file, "from: core/core\n---\nText\n", StandardOpenOption.APPEND);

      assertThat(next(follower, LONG)).containsExactly("slow");
    }
  }

  @Test
  void brokenFile_isShownAgainWhenRepaired() throws Exception {
    try (TxFollower errors = follow(TxFilter.ALL.problemsOnly(), 0);
        TxFollower all = follow(TxFilter.ALL, 0)) {
      errors.next(LONG);
      all.next(LONG);
      Path file = put("broken", "no front matter");

      assertThat(next(errors, LONG)).containsExactly("unreadable");
      Files.writeString(file, WHOLE);
      assertThat(next(errors, LONG)).as("listed because of its name").containsExactly("broken");
      assertThat(next(all, LONG)).as("follower of all files").containsExactly("broken");
    }
  }

  @Test
  void fileChangeWithoutEvent_isShown() throws Exception {
    try (TxFollower follower = follow(TxFilter.ALL, 0)) {
      follower.next(LONG);
      Path file = put("a", " ".repeat(WHOLE.length()));
      put("b", WHOLE);
      assertThat(next(follower, LONG)).containsExactly("b");

      FileTime time = Files.getLastModifiedTime(file);
      Path whole = Files.writeString(folder.resolve("whole"), WHOLE);
      Files.setLastModifiedTime(whole, time);
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING);

      assertThat(next(follower, LONG)).containsExactly("a");
      assertThat(next(follower, Duration.ofSeconds(3))).isEmpty();
    }
  }

  @Test
  void renamedFile_isShownAsOrphan() throws Exception {
    Path file = put("a", WHOLE);
    try (TxFollower follower = follow(TxFilter.ALL, 5)) {
      follower.next(LONG);
      Files.move(
          file, file.resolveSibling(file.getFileName().toString().replace(".md", "-orphan.md")));

      List<TxListed> next = follower.next(LONG);

      assertThat(next).hasSize(1);
      assertThat(next.get(0).isOrphan()).isTrue();
    }
  }

  @Test
  void filter_selectsShownFiles() throws Exception {
    try (TxFollower follower = follow(TxFilter.ALL.agent("boss"), 5)) {
      follower.next(LONG);
      put("a", WHOLE);
      put("b", WHOLE.replace("core/core", "core/boss"));
      Files.writeString(messages.resolve("notes.md"), WHOLE.replace("core/core", "core/boss"));

      assertThat(follower.next(LONG)).extracting(TxListed::name).containsExactly("notes.md");
    }
  }

  @Test
  void laterCreatedFolder_isFollowed() throws Exception {
    Files.delete(messages);
    try (TxFollower follower = follow(TxFilter.ALL, 5)) {
      assertThat(next(follower, LONG)).isEmpty();
      Files.createDirectory(messages);
      put("a", WHOLE);

      assertThat(next(follower, LONG)).containsExactly("a");
    }
  }

  @Test
  void concurrentWriters_everyFileIsShownOnce() throws Exception {
    put("s0", WHOLE);
    try (TxFollower follower = follow(TxFilter.ALL, 5)) {
      List<String> seen = new ArrayList<>(next(follower, LONG));
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        String name = "w" + writer + "x";
        writers.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 250; i++) {
                    try {
                      put(name + i, WHOLE);
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  }
                },
                task -> new Thread(task).start()));
      }
      while (seen.size() < 1_001) {
        seen.addAll(next(follower, LONG));
      }
      writers.forEach(CompletableFuture::join);

      List<String> all = new ArrayList<>(List.of("s0"));
      for (int writer = 0; writer < 4; writer++) {
        int w = writer;
        IntStream.range(0, 250).forEach(i -> all.add("w" + w + "x" + i));
      }
      assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
      assertThat(next(follower, Duration.ofSeconds(2))).isEmpty();
    }
  }

  @Test
  void close_endsWait() throws Exception {
    TxFollower follower = follow(TxFilter.ALL, 5);
    follower.next(LONG);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(follower::close);

    assertThatThrownBy(() -> follower.next(LONG)).isInstanceOf(ClosedException.class);
    closing.join();
  }
}
