package dev.ralph.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A small ext4 file system in a file, with simulated power cuts: the kernel discards all writes
 * that were not synced. Needs root on Linux.
 */
final class Disk implements AutoCloseable {

  /**
   * Shuts the file system down without flushing, including its journal (flag 2). Uses Perl, which
   * every Debian has, because Java cannot call ioctl.
   */
  private static final String CUT =
      "open(my $fs, '<', $ARGV[0]) or die $!; my $how = pack('L', 2); "
          + "ioctl($fs, 0x8004587D, $how) or die \"can't shut down: $!\"";

  private static final int MOST_ATTEMPTS = 50;
  private static final long PAUSE_NANOS = 20_000_000;

  private final Path image;
  private final Path mountPoint;

  private Disk(Path image, Path mountPoint) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /** Returns the reason why no disk can be created, or null. */
  static @Nullable String whyNot() {
    boolean root = "root".equals(System.getProperty("user.name"));
    boolean linux = Files.exists(Path.of("/dev/loop-control"));
    return root && linux ? null : "a disk whose power can be cut needs root on Linux";
  }

  /**
   * Creates and mounts a disk.
   *
   * @param directory an existing directory for the image and the mount point
   * @param bytes the size of the disk
   */
  static Disk make(Path directory, long bytes) throws IOException {
    Disk disk = new Disk(directory.resolve("disk.img"), directory.resolve("disk"));
    try (RandomAccessFile file = new RandomAccessFile(disk.image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    Files.createDirectories(disk.mountPoint);
    Shell.run("mkfs.ext4", "-q", "-F", disk.image.toString());
    disk.mount();
    return disk;
  }

  Path root() {
    return mountPoint;
  }

  private void mount() throws IOException {
    Shell.run("mount", "-o", "loop", image.toString(), mountPoint.toString());
  }

  /** Cuts the power: further accesses fail, and writes that were not synced are lost. */
  void cutPower() throws IOException {
    Shell.run("perl", "-e", CUT, mountPoint.toString());
  }

  /** Remounts the disk after a power cut. No process may have files of the disk open. */
  void restorePower() throws IOException {
    unmount();
    mount();
  }

  /**
   * Retries after garbage collections, because mapped buffers keep the disk busy until they are
   * collected.
   */
  private void unmount() throws IOException {
    for (int attempt = 1; ; attempt++) {
      System.gc();
      try {
        Shell.run("umount", mountPoint.toString());
        return;
      } catch (IOException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  @Override
  public void close() {
    try {
      unmount();
      Files.delete(image);
    } catch (IOException e) {
      throw new IllegalStateException("a disk stays mounted at " + mountPoint, e);
    }
  }
}
