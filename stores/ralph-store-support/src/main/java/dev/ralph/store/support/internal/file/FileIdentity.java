package dev.ralph.store.support.internal.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The identity and the size of the file at a path. A path alone does not identify a file: the file
 * may have been deleted, moved or replaced since it was opened.
 */
public final class FileIdentity {

  /** The file key (the inode on POSIX systems), or a constant if the platform has none. */
  private final Object key;

  private final long size;

  private FileIdentity(BasicFileAttributes attributes) {
    Object given = attributes.fileKey();
    this.key = given == null ? "a file" : given;
    this.size = attributes.size();
  }

  /**
   * Returns the identity of the file at a path, or null if the file is missing or not accessible.
   * Does not follow links.
   */
  public static @Nullable FileIdentity of(Path path) {
    try {
      return new FileIdentity(
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (IOException missing) {
      return null;
    }
  }

  /**
   * Returns true only if the path certainly does not exist; false if the file is not accessible.
   */
  public static boolean isMissing(Path path) {
    try {
      Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return false;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException unknown) {
      return false;
    }
  }

  /** Returns the size of the file in bytes. */
  public long size() {
    return size;
  }

  /** Returns true if both are the same file, regardless of their sizes. */
  public boolean isSameFile(@Nullable FileIdentity other) {
    return other != null && key.equals(other.key);
  }

  /** Returns a number that very probably differs for different files; never 0. */
  public long number() {
    long mixed = key.toString().hashCode() * 0x9e3779b97f4a7c15L;
    return mixed == 0 ? 1 : mixed;
  }
}
