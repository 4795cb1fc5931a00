package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {

  @TempDir Path directory;

  @Test
  void fileInsteadOfFolder_isReported() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nowhere"));
    for (Path taken : new Path[] {file, link}) {
      assertThatThrownBy(() -> PrivateFiles.createDirectories(taken))
          .isInstanceOf(RalphException.class)
          .hasMessage(
              "cannot create the folder %s: %s is not a folder, or is a broken link;"
                  + " remove the entry, or use a different path",
              taken, taken);
    }
  }

  @Test
  void link_isNotOpenedForWriting() throws IOException {
    Path outside = Files.writeString(directory.resolve("outside"), "mine");
    Path link = Files.createSymbolicLink(directory.resolve("link"), outside);
    assertThatThrownBy(() -> PrivateFiles.openInPlace(link))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(link + " is a symbolic link");
    assertThat(outside).hasContent("mine");
  }

  @Test
  void rootsFile_belongsToOwnerOfFolder() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root can give files away");
    Path owned = Files.createDirectory(directory.resolve("owned"));
    Files.setAttribute(owned, "unix:uid", 65_534);
    Path folder = owned.resolve("a/b");
    PrivateFiles.createDirectories(folder);
    PrivateFiles.createFile(folder.resolve("file"));
    PrivateFiles.writeAtomically(folder.resolve("written"), new byte[1], false);
    for (String made : new String[] {"a", "a/b", "a/b/file", "a/b/written"}) {
      assertThat(Files.getAttribute(owned.resolve(made), "unix:uid")).as(made).isEqualTo(65_534);
    }
  }

  @Test
  void umask_doesNotChangePermissions() throws Exception {
    for (String umask : new String[] {"000", "022", "0177", "0777"}) {
      Path folder = directory.resolve("under " + umask);
      Process maker =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "umask " + umask + "; exec \"$@\"",
                  "sh",
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:-UsePerfData",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Maker.class.getName(),
                  folder.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(maker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(maker.waitFor()).as(umask + ": " + said).isZero();

      assertThat(rights(folder)).as(umask).isEqualTo("rwx------");
      assertThat(rights(folder.resolve("sub"))).as(umask).isEqualTo("rwx------");
      assertThat(rights(folder.resolve("sub/made"))).as(umask).isEqualTo("rw-------");
      assertThat(rights(folder.resolve("sub/written"))).as(umask).isEqualTo("rw-------");
    }
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** A process with its own umask. */
  static final class Maker {

    private Maker() {}

    public static void main(String[] args) {
      Path folder = Path.of(args[0], "sub");
      PrivateFiles.createDirectories(folder);
      PrivateFiles.createFile(folder.resolve("made"));
      PrivateFiles.writeAtomically(folder.resolve("written"), new byte[1], false);
    }
  }

  @Test
  void concurrentWrites_useOwnTemporaryFiles() throws Exception {
    Path file = directory.resolve("file");
    byte[] content = "whole".getBytes(StandardCharsets.UTF_8);
    AtomicInteger ready = new AtomicInteger();
    Callable<Boolean> writing =
        () -> {
          for (int round = 1; round <= 5_000; round++) {
            ready.incrementAndGet();
            while (ready.get() < 2 * round && !Thread.interrupted()) {
              Thread.onSpinWait(); // a parking barrier would start the threads too far apart
            }
            PrivateFiles.writeAtomically(file, content, false);
          }
          return true;
        };
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      CompletionService<Boolean> writers = new ExecutorCompletionService<>(threads);
      writers.submit(writing);
      writers.submit(writing);
      assertThat(writers.take().get()).isTrue();
      assertThat(writers.take().get()).isTrue();
    } finally {
      threads.shutdownNow();
    }
    assertThat(directory).isDirectoryNotContaining(path -> !path.equals(file));
    assertThat(file).hasContent("whole");
  }

  @Test
  void interruptedThread_syncsFolder() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread syncing = Thread.currentThread();
    Thread interrupting =
        new Thread(
            () -> {
              Random random = new Random(7);
              while (!done.get()) {
                syncing.interrupt();
                // without a pause no sync would complete
                LockSupport.parkNanos(random.nextInt(200_000));
              }
            });
    interrupting.start();
    try {
      for (int i = 0; i < 500; i++) {
        PrivateFiles.syncDirectory(directory);
      }
    } finally {
      done.set(true);
      while (interrupting.isAlive()) {
        Thread.interrupted();
        Thread.onSpinWait();
      }
      Thread.interrupted();
    }
  }
}
