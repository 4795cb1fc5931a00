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
 * Makes files and folders that only their owner can read, durably.
 *
 * <p>Files are written through {@link RandomAccessFile}: interrupting a thread that uses a file
 * channel closes the channel under every other thread.
 */
public final class PrivateFiles {

  /** How the name ends of a file that {@link #writeAtomically} makes, as a regular expression. */
  public static final String TEMPORARY = "\\.\\d+\\.-?\\d+";

  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";

  private static final int PIECE = 64 * 1024;

  /**
   * Names the next temporary file; two threads can read the same time. It begins with the time
   * because a process that was killed may have left files, and this one may have its id.
   */
  private static final AtomicLong NEXT_TEMPORARY = new AtomicLong(System.nanoTime());

  private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

  private PrivateFiles() {}

  /** Makes a folder and the missing ones above it, readable by its owner only (0700), durably. */
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
        setRights(folder, FOLDER); // else nothing could be made in it
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
          "cannot make the folder "
              + directory
              + ": "
              + e.getFile()
              + " is no folder, or a link that leads nowhere; remove it, or choose another place",
          e);
    } catch (IOException e) {
      throw failure("cannot make the folder " + directory, e);
    }
  }

  /**
   * Returns what a file holds, or null if that is more than it ever has: a store may come from
   * somebody else, and no file of it is to take all the memory. Unlike {@link Files#readAllBytes}
   * it works in an interrupted thread.
   *
   * @throws FileNotFoundException if there is no such file, or it may not be read
   */
  public static byte @Nullable [] read(Path file, int most) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long length = in.length();
      return length > most ? null : read(in, (int) length);
    }
  }

  /**
   * Returns the next so many bytes of a file. They are read in pieces, because the platform makes a
   * copy of as much as it is asked for at once.
   *
   * @throws java.io.EOFException if there are fewer
   */
  static byte[] read(RandomAccessFile in, int length) throws IOException {
    byte[] bytes = new byte[length];
    for (int from = 0; from < length; from += PIECE) {
      in.readFully(bytes, from, Math.min(PIECE, length - from));
    }
    return bytes;
  }

  /**
   * Opens a file of a store to be written in place. A link is refused: the maker of the store could
   * have any other file written to by it. So is what is no file: opening a pipe may never end.
   * {@link StoreFiles} checks the folders, too.
   *
   * @throws FileNotFoundException if there is no such file, or it may not be written to
   * @throws IOException also if it is a link, or no file
   */
  public static RandomAccessFile openInPlace(Path file) throws IOException {
    StoreFiles.checkFile(file);
    return new RandomAccessFile(file.toFile(), "rw");
  }

  /** Makes an empty file readable by its owner only (0600); does nothing if it exists. */
  public static void createFile(Path file) {
    try {
      Files.createFile(file, owner(file, FILE));
      setRights(file, FILE);
      giveToOwnerOfFolder(file);
    } catch (FileAlreadyExistsException exists) {
      // another process was faster: just as well
    } catch (IOException e) {
      throw failure("cannot make the file " + file, e);
    }
  }

  /** Makes a file that something else has made readable by its owner only (0600). */
  public static void protect(Path made) {
    setRights(made, FILE);
    giveToOwnerOfFolder(made);
  }

  /**
   * Puts a file of that content in place at once and durably: nobody ever sees a part of it, and
   * after a power cut it is there as a whole or not at all.
   */
  public static void writeAtomically(Path file, byte[] content, boolean durable) {
    Path temporary =
        file.resolveSibling(
            file.getFileName() + "." + OwnPid.VALUE + "." + NEXT_TEMPORARY.getAndIncrement());
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

  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root is no file of ours");
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
   * Makes the names in a folder durable. Works in an interrupted thread, which stays interrupted.
   */
  public static void syncDirectory(Path directory) throws IOException {
    if (File.separatorChar == '\\') {
      return; // Windows neither needs this nor lets a folder be opened
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
          interrupted = true; // it came in the middle: once more
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns the failure to report for an I/O failure: FULL where there is no room, else IO. */
  public static RalphException failure(String what, IOException e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    String lower = message.toLowerCase(Locale.ROOT);
    if (lower.contains("file too large")) {
      return RalphException.full(
          what + ": no file may become as large (" + message + "); raise that limit and try again",
          e);
    }
    if (lower.contains("no space left") || lower.contains("quota exceeded")) {
      return RalphException.full(
          what + ": no room left (" + message + "); make some and try again", e);
    }
    if (e instanceof FileNotFoundException || e instanceof java.nio.file.AccessDeniedException) {
      return RalphException.io(
          what + ": " + message + "; check that it may be read and written", e);
    }
    return RalphException.io(what + ": " + message, e);
  }

  /**
   * Gives what root made to the owner of the folder that it was made in: a store's owner must be
   * able to read what root added to it. Does nothing for anybody else, who could not do that.
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
          .log(System.Logger.Level.DEBUG, made + " stays root's", e);
    }
  }

  /**
   * Gives what was made the rights that it was to have: the umask may have taken some away. Where
   * there are no such rights, the folder's have to do.
   */
  private static void setRights(Path made, String rights) {
    Set<PosixFilePermission> wanted = PosixFilePermissions.fromString(rights);
    try {
      if (!Files.getPosixFilePermissions(made).equals(wanted)) {
        Files.setPosixFilePermissions(made, wanted);
      }
    } catch (IOException | UnsupportedOperationException e) {
      System.getLogger(PrivateFiles.class.getName())
          .log(System.Logger.Level.DEBUG, made + " keeps the rights that it was made with", e);
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
