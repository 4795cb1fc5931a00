package dev.ralph.store.support.internal.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Which file stands at a path, and how long it is. A name alone does not tell that: the file may
 * have been deleted, moved, or replaced by another one since it was opened.
 */
public final class FileIdentity {

  /** The file's key (its inode on POSIX systems), or a stand-in where the platform has none. */
  private final Object key;

  private final long size;

  private FileIdentity(BasicFileAttributes attributes) {
    Object given = attributes.fileKey();
    this.key = given == null ? "a file" : given;
    this.size = attributes.size();
  }

  /** Returns what stands at that path, or null if nothing does or that can't be found out. */
  public static @Nullable FileIdentity of(Path path) {
    try {
      return new FileIdentity(
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (IOException missing) {
      return null;
    }
  }

  /** Returns whether there is certainly nothing at that path, not even something out of sight. */
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

  /** Returns how many bytes the file has. */
  public long size() {
    return size;
  }

  /** Returns whether both are the same file, whatever its length. */
  public boolean isSameFile(@Nullable FileIdentity other) {
    return other != null && key.equals(other.key);
  }

  /** Returns a number that differs for different files, as good as surely; never 0. */
  public long number() {
    long mixed = key.toString().hashCode() * 0x9e3779b97f4a7c15L;
    return mixed == 0 ? 1 : mixed;
  }
}
