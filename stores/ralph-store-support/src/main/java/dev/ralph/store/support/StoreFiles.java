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
 * The files below a store's folder. The folder may come from an untrusted source: a link in it
 * could redirect a write or a deletion to files outside. So before each access, every name on the
 * path is checked without following links. The folder itself and its parents may be links.
 *
 * <p>The checks reject files that came with a clone or an archive. They do not protect against a
 * process that changes the folder at the same time. Immutable; safe for use by many threads.
 */
public class StoreFiles {

  private final Path root;

  /**
   * Uses the folder of a store, which need not exist. The methods accept only paths below this
   * folder.
   */
  public StoreFiles(Path root) {
    this.root = root;
  }

  /** Returns the folder of the store. */
  public Path root() {
    return root;
  }

  /** Returns the path of a name below the store's folder, without any check. */
  public Path path(String name) {
    return root.resolve(name);
  }

  /**
   * Checks that each existing name on the path to a folder is a folder and no link. Missing names
   * pass.
   *
   * @throws IOException with the reason if a name is a link or is not a folder
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

  /**
   * Checks that the parents of a file are folders, as {@link #checkFolder} does, and that the file
   * is a regular file or missing. Returns the path.
   */
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

  /** Checks that a path is a regular file or missing, without following links. */
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
      return path + " is a symbolic link, and a store must not contain links; remove the link";
    }
    String is =
        found.isDirectory() ? "folder" : found.isRegularFile() ? "file" : "pipe, socket or device";
    return path + " is a " + is + ", but must be a " + wanted + "; rename or remove the entry";
  }

  // ---- checked operations

  /** Creates a folder as {@link PrivateFiles#createDirectories} does. */
  public void createDirectories(Path folder) {
    try {
      checkFolder(folder);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot create the folder " + folder, e);
    }
    PrivateFiles.createDirectories(folder);
  }

  /** Creates a file as {@link PrivateFiles#createFile} does. */
  public void createFile(Path file) {
    try {
      checked(file);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot create the file " + file, e);
    }
    PrivateFiles.createFile(file);
  }

  /**
   * Writes a file as {@link PrivateFiles#writeAtomically} does; replaces a link of this name
   * itself.
   */
  public void writeAtomically(Path file, byte[] content, boolean durable) {
    try {
      checkFolderOf(file);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot write " + file, e);
    }
    PrivateFiles.writeAtomically(file, content, durable);
  }

  /** Reads a file as {@link PrivateFiles#read(Path, int)} does. */
  public byte @Nullable [] read(Path file, int most) throws IOException {
    return PrivateFiles.read(checked(file), most);
  }

  /** Opens a file for reading. */
  public RandomAccessFile openToRead(File file) throws IOException {
    checked(file.toPath());
    return new RandomAccessFile(file, "r");
  }

  /** Opens a file as {@link PrivateFiles#openInPlace} does. */
  public RandomAccessFile openInPlace(Path file) throws IOException {
    return PrivateFiles.openInPlace(checked(file));
  }

  /**
   * Makes the written contents of a file durable. Tests override this method to observe or fail
   * syncs.
   */
  public void sync(RandomAccessFile file) throws IOException {
    file.getFD().sync();
  }

  /** Syncs a folder as {@link PrivateFiles#syncDirectory} does. */
  public void syncFolder(Path folder) throws IOException {
    PrivateFiles.syncDirectory(folder);
  }

  /** Renames a file within the store. Renames a link or a folder itself. */
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    checkFolderOf(from);
    Files.move(from, checked(to), options);
  }

  /** Deletes a file, or a link itself. Returns false if the file is missing. */
  public boolean deleteIfExists(Path file) throws IOException {
    checkFolderOf(file);
    return Files.deleteIfExists(file);
  }
}
