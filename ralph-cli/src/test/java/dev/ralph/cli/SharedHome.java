package dev.ralph.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that all tests of one build share, also in different virtual machines. The first user
 * fills the folder while others wait, and the last process to end deletes it.
 */
final class SharedHome {

  /** Fills the new folder. */
  interface Filler {
    void fill(Path home) throws Exception;
  }

  private static @Nullable Path taken;

  private SharedHome() {}

  static synchronized Path get(Filler filler) throws Exception {
    if (taken == null) {
      taken = take(filler);
    }
    return taken;
  }

  private static Path take(Filler filler) throws Exception {
    // Each build has its own name, so it does not use the folder of an earlier build.
    String build = System.getProperty("ralph.build", "process-" + ProcessHandle.current().pid());
    FileChannel channel =
        FileChannel.open(
            Path.of("target/home-" + build),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    while (true) {
      FileLock use = channel.lock(0, Long.MAX_VALUE, true);
      String path = read(channel);
      if (!path.isEmpty()) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(channel, use)));
        return Path.of(path);
      }
      use.release();
      fillOnce(channel, filler);
    }
  }

  private static void fillOnce(FileChannel channel, Filler filler) throws Exception {
    FileLock alone = channel.lock();
    try {
      if (read(channel).isEmpty()) { // not filled between the two locks
        Path home = Files.createTempDirectory("ralph");
        try {
          Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
          filler.fill(home);
        } catch (Throwable failed) {
          delete(home);
          throw failed;
        }
        channel.write(ByteBuffer.wrap(home.toString().getBytes(StandardCharsets.UTF_8)), 0);
      }
    } finally {
      alone.release();
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
    channel.read(bytes, 0);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }

  private static void leave(FileChannel channel, FileLock use) {
    try (channel) {
      use.release();
      FileLock last = channel.tryLock();
      String path = last == null ? "" : read(channel);
      if (!path.isEmpty()) {
        channel.truncate(0);
        delete(Path.of(path));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
