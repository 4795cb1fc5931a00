package dev.ralph.store.support;

import dev.ralph.log.RalphException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Creates and writes files and folders that only their owner can read, durably.
 *
 * <p>Files are written through {@link RandomAccessFile}, because interrupting a thread that uses a
 * {@link FileChannel} closes the channel for all threads.
 */
public final class PrivateFiles {

  /** A regular expression for the end of the temporary names that {@link #writeAtomically} uses. */
  public static final String TEMPORARY = "\\.\\d+\\.-?\\d+";

  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";

  private static final int PIECE = 64 * 1024;

  /**
   * The number of the next temporary file, so that two threads never share a name. The name starts
   * with the time, because a killed process with the same pid may have left files.
   */
  private static final AtomicLong NEXT_TEMPORARY = new AtomicLong(System.nanoTime());

  private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

  private PrivateFiles() {}

  /**
   * Creates a folder and its missing parents, readable by the owner only (0700), durably.
   *
   * @throws RalphException IO if a folder can't be created, or the path is not a folder; FULL if
   *     the disk is full
   */
  public static void createDirectories(Path directory) {
    try {
      Deque<Path> missing = new ArrayDeque<>();
      for (Path at = directory.toAbsolutePath();
          at != null && !at.toFile().exists();
          at = at.getParent()) {
        missing.push(at);
      }
      for (Path folder : missing) {
        Files.createDirectories(folder, owner(folder, FOLDER));
        setRights(folder, FOLDER); // without these permissions the next folder can't be created
      }
      for (Path folder : missing) {
        syncDirectory(folderOf(folder));
        giveToOwnerOfFolder(folder);
      }
      if (missing.isEmpty() && !Files.isDirectory(directory)) {
        throw new FileAlreadyExistsException(directory.toString());
      }
    } catch (FileAlreadyExistsException e) {
      throw RalphException.io(
          "cannot create the folder "
              + directory
              + ": "
              + e.getFile()
              + " is not a folder, or is a broken link; remove the entry, or use a different path",
          e);
    } catch (IOException e) {
      throw failure("cannot create the folder " + directory, e);
    }
  }

  /**
   * Returns the contents of a file, or null if the file is larger than a limit. A store may come
   * from an untrusted source, and none of its files may exhaust the memory. Unlike {@link
   * Files#readAllBytes} this method works in an interrupted thread.
   *
   * @param most the limit, in bytes
   * @throws FileNotFoundException if the file is missing or not readable
   */
  public static byte @Nullable [] read(Path file, int most) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long length = in.length();
      return length > most ? null : read(in, (int) length);
    }
  }

  /**
   * Reads the next bytes of a file. Reads piece by piece, because the platform allocates a copy of
   * each requested piece.
   *
   * @param length the number of bytes
   * @throws java.io.EOFException if fewer bytes remain
   */
  static byte[] read(RandomAccessFile in, int length) throws IOException {
    byte[] bytes = new byte[length];
    for (int from = 0; from < length; from += PIECE) {
      in.readFully(bytes, from, Math.min(PIECE, length - from));
    }
    return bytes;
  }

  /**
   * Opens a file of a store for writing in place. Rejects links, by which the creator of a store
   * could redirect the write to any file. Rejects all files that are not regular, because opening a
   * pipe may block forever. {@link StoreFiles} checks the folders as well.
   *
   * @throws FileNotFoundException if the file is missing or not writable
   * @throws IOException also if the path is a link or not a regular file
   */
  public static RandomAccessFile openInPlace(Path file) throws IOException {
    StoreFiles.checkFile(file);
    return new RandomAccessFile(file.toFile(), "rw");
  }

  /** Creates an empty file, readable only by the owner (0600). Does nothing if the file exists. */
  public static void createFile(Path file) {
    try {
      Files.createFile(file, owner(file, FILE));
      setRights(file, FILE);
      giveToOwnerOfFolder(file);
    } catch (FileAlreadyExistsException exists) {
      // created concurrently by a second process
    } catch (IOException e) {
      throw failure("cannot create the file " + file, e);
    }
  }

  /** Makes an existing file readable by its owner only (0600). */
  public static void protect(Path made) {
    setRights(made, FILE);
    giveToOwnerOfFolder(made);
  }

  /**
   * Replaces the contents of a file atomically. Readers see the old or the new contents, never a
   * part.
   *
   * @param durable whether the new contents survive a power cut after this method
   * @throws RalphException FULL if there is no space; IO if writing fails for another reason
   */
  public static void writeAtomically(Path file, byte[] content, boolean durable) {
    Path temporary = temporary(file);
    try {
      createFile(temporary);
      try (RandomAccessFile out = new RandomAccessFile(temporary.toFile(), "rw")) {
        out.write(content);
        if (durable) {
          out.getFD().sync();
        }
      }
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (durable) {
        syncDirectory(folderOf(file));
      }
    } catch (IOException e) {
      remove(temporary);
      throw failure("cannot write " + file, e);
    }
  }

  /** Returns the path of a new temporary file next to a file, which a move then replaces. */
  public static Path temporary(Path file) {
    return file.resolveSibling(
        file.getFileName() + "." + OwnPid.VALUE + "." + NEXT_TEMPORARY.getAndIncrement());
  }

  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root has no parent");
  }

  private static void remove(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      System.getLogger(PrivateFiles.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot remove " + temporary, e);
    }
  }

  /**
   * Makes the names in a folder durable. Works in an interrupted thread, and keeps the interrupt.
   */
  public static void syncDirectory(Path directory) throws IOException {
    if (File.separatorChar == '\\') {
      return; // Windows does not need a sync of folders, and can't open folders
    }
    boolean interrupted = false;
    boolean done = false;
    try {
      while (!done) {
        interrupted |= Thread.interrupted();
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          done = true;
        } catch (ClosedByInterruptException e) {
          interrupted = true; // interrupted during the sync: sync again
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns the exception for an I/O failure: FULL if there is no space left, otherwise IO.
   *
   * @param what the failed action, with which the message begins
   */
  public static RalphException failure(String what, IOException e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    String lower = message.toLowerCase(Locale.ROOT);
    if (lower.contains("file too large")) {
      return RalphException.full(
          what
              + ": the file size limit is reached ("
              + message
              + "); raise the limit and try again",
          e);
    }
    if (lower.contains("no space left") || lower.contains("quota exceeded")) {
      return RalphException.full(
          what + ": no space left (" + message + "); free some space and try again", e);
    }
    if (e instanceof FileNotFoundException || e instanceof java.nio.file.AccessDeniedException) {
      return RalphException.io(what + ": " + message + "; check the permissions", e);
    }
    return RalphException.io(what + ": " + message, e);
  }

  /**
   * Changes the owner of a file created by root to the owner of the file's folder. So the store's
   * owner can read the file. Does nothing for users without the right to change owners.
   */
  public static void giveToOwnerOfFolder(Path made) {
    if (!IS_ROOT) {
      return;
    }
    try {
      PosixFileAttributes folder = Files.readAttributes(folderOf(made), PosixFileAttributes.class);
      PosixFileAttributeView file =
          Files.getFileAttributeView(made, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      if (!folder.owner().equals(file.readAttributes().owner())) {
        file.setGroup(folder.group());
        file.setOwner(folder.owner());
      }
    } catch (IOException | UnsupportedOperationException e) {
      System.getLogger(PrivateFiles.class.getName())
          .log(System.Logger.Level.DEBUG, made + " remains owned by root", e);
    }
  }

  /**
   * Sets the permissions of a new file, which the umask may have reduced. Does nothing if the file
   * system has no POSIX permissions; there the permissions of the folder apply.
   */
  private static void setRights(Path made, String rights) {
    Set<PosixFilePermission> wanted = PosixFilePermissions.fromString(rights);
    try {
      if (!Files.getPosixFilePermissions(made).equals(wanted)) {
        Files.setPosixFilePermissions(made, wanted);
      }
    } catch (IOException | UnsupportedOperationException e) {
      System.getLogger(PrivateFiles.class.getName())
          .log(System.Logger.Level.DEBUG, made + " keeps its initial permissions", e);
    }
  }

  private static FileAttribute<?>[] owner(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
