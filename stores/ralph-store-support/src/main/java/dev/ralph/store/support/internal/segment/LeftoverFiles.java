package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files that killed processes left in a store's folder: contents without a frame, and
 * unfinished files. Only files older than a day count, because a running append may need a newer
 * file. Other files are ignored.
 */
final class LeftoverFiles {

  private static final Duration YOUNG = Duration.ofDays(1);
  private static final Pattern UNFINISHED = Pattern.compile(".+" + PrivateFiles.TEMPORARY);

  private final StoreFiles files;
  private final Instant before;

  /** Examines a store at a given time. */
  LeftoverFiles(StoreFiles files, Instant now) {
    this.files = files;
    this.before = now.minus(YOUNG);
  }

  /** Returns the files that are leftovers unless a frame refers to them, sorted. */
  List<Path> candidates() {
    List<Path> found = new ArrayList<>();
    search("content", found);
    search("derived", found);
    search("log", found);
    Collections.sort(found);
    return found;
  }

  private void search(String name, List<Path> found) {
    Path folder = files.path(name);
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (mayBeLeft(file, attributes)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE; // finished or removed in the meantime
              }
              throw e;
            }
          });
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot list " + folder, e);
    }
  }

  private boolean mayBeLeft(Path file, BasicFileAttributes attributes) {
    String name = String.valueOf(file.getFileName());
    return (HashedContentStore.isAddress(name) || UNFINISHED.matcher(name).matches())
        && attributes.isRegularFile()
        && attributes.lastModifiedTime().toInstant().isBefore(before);
  }

  /**
   * Removes a candidate, unless it was written again. The caller holds the store's lock.
   *
   * @return whether the file was removed
   */
  boolean remove(Path candidate) {
    try {
      BasicFileAttributes now =
          Files.readAttributes(candidate, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return mayBeLeft(candidate, now) && files.deleteIfExists(candidate);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot remove " + candidate, e);
    }
  }
}
