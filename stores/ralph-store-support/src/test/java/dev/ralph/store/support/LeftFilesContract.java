package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store finds and removes leftovers of killed writers, and no other files. */
public abstract class LeftFilesContract extends StoreContract {

  private static final Clock IN_TWO_DAYS = Clock.offset(Clock.systemUTC(), Duration.ofDays(2));

  protected HashedContentStore contents;

  @BeforeEach
  void makeStore() {
    contents = new HashedContentStore(new StoreFiles(directory));
    try (FrameStore store = open()) {
      TestFrames.append(store, large("needed"));
    }
  }

  @Test
  void unreferencedContent_isLeftoverAfterADay() throws IOException {
    String left = inFolder(contents.put(large("left").getBytes(StandardCharsets.UTF_8)));

    try (FrameStore store = open()) {
      assertThat(store.leftovers()).as("a frame may refer to the file soon").isEmpty();
      assertThat(store.removeLeftovers()).isEmpty();
    }
    try (FrameStore later = openInTwoDays()) {
      assertThat(later.leftovers()).containsExactly(left);
      assertThat(directory.resolve(left)).as("leftovers() deletes no files").exists();
      assertThat(later.removeLeftovers()).containsExactly(left);
      assertThat(directory.resolve(left)).doesNotExist();
      assertThat(later.leftovers()).isEmpty();
      assertThat(TestFrames.contents(later)).containsExactly(large("needed"));
      assertThat(later.verify()).isEmpty();
    }
  }

  @Test
  void unfinishedFile_isLeftover_foreignFileIsNot() throws IOException {
    Path derived = Files.createDirectories(directory.resolve("derived/snapshots"));
    Path content = Files.createDirectories(directory.resolve("content/ab"));
    Files.createFile(derived.resolve("7f-1.snapshot.4711.123456789"));
    Files.createFile(content.resolve("sha256-" + "ab".repeat(32) + ".4711.123456789"));
    Files.createFile(content.resolve("precious.txt"));
    Files.createFile(derived.resolve("7f-1.snapshot"));

    try (FrameStore later = openInTwoDays()) {
      assertThat(later.removeLeftovers())
          .containsExactly(
              "content/ab/sha256-" + "ab".repeat(32) + ".4711.123456789",
              "derived/snapshots/7f-1.snapshot.4711.123456789");
    }
    assertThat(content).isDirectoryContaining(file -> file.endsWith("precious.txt"));
    assertThat(derived).isDirectoryContaining(file -> file.endsWith("7f-1.snapshot"));
  }

  @Test
  void contentPutAgain_isNoLeftover() throws IOException {
    byte[] text = large("left").getBytes(StandardCharsets.UTF_8);
    Path file = directory.resolve(inFolder(contents.put(text)));
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(3))));
    contents.put(text);

    try (FrameStore store = open()) {
      assertThat(store.leftovers()).isEmpty();
    }
  }

  @Test
  void pausedWriter_keepsContentDuringCleanup() throws Exception {
    String text = large("slept over");
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Path file = directory.resolve(inFolder(contents.put(utf8)));
    Files.delete(file);
    try (FrameStore store = open();
        StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      CompletableFuture<?> append;
      try {
        append = CompletableFuture.runAsync(() -> TestFrames.append(store, text));
        while (!Files.exists(file)) {
          Thread.onSpinWait();
        }
        Files.delete(file);
      } finally {
        lock.release();
      }
      append.join();
      assertThat(TestFrames.contents(store)).containsExactly(large("needed"), text);
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void concurrentCleanup_keepsAppendedContent() {
    List<String> texts = new ArrayList<>();
    texts.add(large("needed"));
    try (FrameStore store = open();
        FrameStore later = openInTwoDays()) {
      CompletableFuture<?> appends =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 100; i++) {
                  texts.add(large("number " + i));
                  append(store, large("number " + i));
                }
              });
      while (!appends.isDone()) {
        later.removeLeftovers();
      }
      appends.join();
      assertThat(TestFrames.contents(store)).isEqualTo(texts);
      assertThat(store.verify()).isEmpty();
    }
  }

  /** Appends, and appends again if an unfinished content file was removed. */
  private static void append(FrameStore store, String text) {
    while (true) {
      try {
        TestFrames.append(store, text);
        return;
      } catch (RalphException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(RalphException.Code.IO);
      }
    }
  }

  protected final FrameStore openInTwoDays() {
    return open(directory, IN_TWO_DAYS);
  }

  private String inFolder(String address) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.endsWith(address))
          .map(file -> directory.relativize(file).toString())
          .findFirst()
          .orElseThrow();
    }
  }

  /** Returns a text that every store keeps in a content file. */
  protected static String large(String text) {
    return text + "x".repeat(100_000);
  }
}
