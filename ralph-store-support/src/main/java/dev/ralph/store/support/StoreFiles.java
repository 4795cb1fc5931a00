package dev.ralph.store.support;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The files below a store's folder. Somebody else may have made the folder: a link in it would lead
 * writing, or deleting, to files outside. So right before a file is used, each name on the way to
 * it is looked at without following links. The folder itself, and what is above it, may be a link.
 *
 * <p>This keeps out what came with a clone or an archive, not a process that changes the folder
 * meanwhile. Immutable; safe for use by many threads.
 */
public class StoreFiles {

  private final Path root;

  /**
   * Takes the store's folder, which need not exist; the paths given below have to begin with it.
   */
  public StoreFiles(Path root) {
    this.root = root;
  }

  /** Returns the store's folder. */
  public Path root() {
    return root;
  }

  /** Returns the path of what has that name in the store; nothing is looked at. */
  public Path path(String name) {
    return root.resolve(name);
  }

  /**
   * Checks that nothing on the way to a folder is a link, or anything else than a folder. What is
   * missing passes.
   *
   * @throws IOException if something is, with the reason
   */
  public void checkFolder(Path folder) throws IOException {
    Path parent = folder.getParent();
    if (folder.equals(root)) {
      return;
    }
    if (parent == null) {
      throw new IllegalArgumentException(folder + " is not in " + root);
    }
    checkFolder(parent);
    BasicFileAttributes found = attributes(folder);
    if (found != null && !found.isDirectory()) {
      throw new IOException(wrong(folder, found, "folder"));
    }
  }

  /** Checks a file, and all on the way to it, as {@link #checkFolder} does; returns its path. */
  public Path checked(Path file) throws IOException {
    checkFolderOf(file);
    checkFile(file);
    return file;
  }

  private void checkFolderOf(Path file) throws IOException {
    Path folder = file.getParent();
    if (folder == null) {
      throw new IllegalArgumentException(file + " is not in " + root);
    }
    checkFolder(folder);
  }

  /** Checks the file itself: it is one, or there is nothing of that name. */
  static void checkFile(Path file) throws IOException {
    BasicFileAttributes found = attributes(file);
    if (found != null && !found.isRegularFile()) {
      throw new IOException(wrong(file, found, "file"));
    }
  }

  private static @Nullable BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException missing) {
      return null;
    }
  }

  private static String wrong(Path path, BasicFileAttributes found, String wanted) {
    if (found.isSymbolicLink()) {
      return path + " is a symbolic link, which a store never has there; remove it";
    }
    String is =
        found.isDirectory() ? "folder" : found.isRegularFile() ? "file" : "pipe, socket or device";
    return path + " is a " + is + ", where a store has a " + wanted + "; move it away";
  }

  // ---- what is done with checked files

  /** As {@link PrivateFiles#createDirectories}. */
  public void createDirectories(Path folder) {
    try {
      checkFolder(folder);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot make the folder " + folder, e);
    }
    PrivateFiles.createDirectories(folder);
  }

  /** As {@link PrivateFiles#createFile}. */
  public void createFile(Path file) {
    try {
      checked(file);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot make the file " + file, e);
    }
    PrivateFiles.createFile(file);
  }

  /** As {@link PrivateFiles#writeAtomically}; a link of that name is replaced itself. */
  public void writeAtomically(Path file, byte[] content, boolean durable) {
    try {
      checkFolderOf(file);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot write " + file, e);
    }
    PrivateFiles.writeAtomically(file, content, durable);
  }

  /** As {@link PrivateFiles#read(Path, int)}. */
  public byte @Nullable [] read(Path file, int most) throws IOException {
    return PrivateFiles.read(checked(file), most);
  }

  /** Opens a file to be read. */
  public RandomAccessFile openToRead(File file) throws IOException {
    checked(file.toPath());
    return new RandomAccessFile(file, "r");
  }

  /** As {@link PrivateFiles#openInPlace}. */
  public RandomAccessFile openInPlace(Path file) throws IOException {
    return PrivateFiles.openInPlace(checked(file));
  }

  /** Makes durable what was written to a file. Here tests see it, or make it fail. */
  public void sync(RandomAccessFile file) throws IOException {
    file.getFD().sync();
  }

  /** As {@link PrivateFiles#syncDirectory}. */
  public void syncFolder(Path folder) throws IOException {
    PrivateFiles.syncDirectory(folder);
  }

  /** Gives a file another name in the store; where it is a link, or a folder, that itself. */
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    checkFolderOf(from);
    Files.move(from, checked(to), options);
  }

  /** Deletes a file, if it is there; a link of that name itself. Returns whether it was. */
  public boolean deleteIfExists(Path file) throws IOException {
    checkFolderOf(file);
    return Files.deleteIfExists(file);
  }
}
