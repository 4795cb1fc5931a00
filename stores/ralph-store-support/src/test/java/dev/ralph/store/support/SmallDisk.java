package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A small disk that becomes full. All users of the disk must have ended when it is closed. They
 * belong in a method of their own: local variables keep the disk busy until their method returns.
 */
public final class SmallDisk implements AutoCloseable {

  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  /**
   * Mounts a disk, or aborts the test if this machine cannot.
   *
   * @param size for example {@code 256k} or {@code 4m}
   */
  public static SmallDisk mount(Path folder, String size) throws IOException {
    Files.createDirectory(folder);
    assumeTrue(
        shell("mount -t tmpfs -o size=" + size + " tmpfs " + folder) == 0,
        "no disk can be mounted here");
    return new SmallDisk(folder);
  }

  /** Returns the folder of the disk. */
  public Path folder() {
    return folder;
  }

  /** Changes the size of the disk. */
  public void resize(String size) {
    assertThat(shell("mount -o remount,size=" + size + " " + folder)).isZero();
  }

  /**
   * Unmounts the disk. The platform keeps pages of closed files mapped until they are collected.
   */
  @Override
  public void close() {
    int code = shell("umount " + folder);
    for (int i = 0; i < 600 && code != 0; i++) {
      System.gc();
      LockSupport.parkNanos(100_000_000);
      code = shell("umount " + folder);
    }
    assertThat(code).as("unmounting " + folder).isZero();
  }

  private static int shell(String command) {
    try {
      return new ProcessBuilder("sh", "-c", command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(command, e);
    }
  }
}
