package dev.ralph.store.support.internal.folder;

import dev.ralph.internal.StoreLocation;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.file.FileIdentity;
import dev.ralph.store.support.internal.segment.LogWitness;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Examines the folder of a store before the store is opened: the path, the file names, and the kind
 * of store.
 */
public final class StoreFolder {

  private static final String STORE_FILE = "store.json";
  private static final String FIRST_SEGMENT = "log/00000001.jsonl";
  private static final String SEGMENT_BEGIN = "{\"ralph\":\"log\",";
  private static final int LONGEST_STORE_FILE = 4096;

  private static final String IGNORE_FILE = ".gitignore";
  static final String IGNORES_ALL = "*\n";

  private StoreFolder() {}

  /**
   * Returns the absolute path of a store, without {@code .} and {@code ..}. Resolves a link before
   * {@code ..}, as the operating system does.
   *
   * @throws RalphException INVALID if the platform can't represent the name, which would then name
   *     another folder; or if its files have no inode numbers
   */
  public static Path locate(Path given) {
    FileSystem system = given.getFileSystem();
    if (system != FileSystems.getDefault()
        || !system.supportedFileAttributeViews().contains("unix")) {
      throw RalphException.invalid(
          "a store on disk needs a file system of Linux or macOS, and "
              + RalphException.quote(given.toString())
              + " has none; use Linux, macOS, WSL on Windows, or a store in memory");
    }
    Path absolute = given.toAbsolutePath();
    Path located = absolute.getRoot();
    for (Path name : absolute) {
      String text = name.toString();
      if (text.equals("..")) {
        Path parent = followed(located).getParent();
        located = parent == null ? located : parent;
      } else if (!text.equals(".")) {
        located = located.resolve(name);
      }
    }
    if (!keepsItsName(located)) {
      throw RalphException.invalid(
          "the name "
              + RalphException.quote(located.toString())
              + " can't be represented: the name or the locale is not UTF-8; set LC_ALL=C.UTF-8,"
              + " or use another folder");
    }
    return located;
  }

  private static Path followed(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException missing) {
      return path;
    }
  }

  private static boolean keepsItsName(Path path) {
    try {
      return path.toFile().toPath().equals(path);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /**
   * Writes a {@code .gitignore} that ignores all files of the store, unless the file exists. Git
   * could otherwise restore older versions of the files. Users who track a store with git replace
   * the file.
   */
  public static void hideFromGit(Path directory) {
    Path file = directory.resolve(IGNORE_FILE);
    if (!file.toFile().exists()) {
      try {
        PrivateFiles.writeAtomically(file, IGNORES_ALL.getBytes(StandardCharsets.US_ASCII), false);
      } catch (RalphException e) {
        System.getLogger(StoreFolder.class.getName())
            .log(System.Logger.Level.DEBUG, "git may track the store in " + directory, e);
      }
    }
  }

  /**
   * Returns true if a file of this name may exist in a store's folder before its log, in any kind
   * of store.
   */
  public static boolean isMadeFirst(String name) {
    return name.startsWith(IGNORE_FILE) || name.equals("lock");
  }

  /**
   * Returns true if the file or folder exists.
   *
   * @throws RalphException IO if permission is denied
   */
  public static boolean exists(Path path) {
    try {
      Files.readAttributes(path, BasicFileAttributes.class);
      return true;
    } catch (AccessDeniedException e) {
      throw denied(path, e);
    } catch (IOException missing) {
      return false; // also if a parent is a file
    }
  }

  /**
   * Returns the names in a folder, or an empty list if the folder does not exist.
   *
   * @throws RalphException IO if permission is denied; INVALID if the path is a file
   */
  public static List<String> names(Path directory) {
    if (!exists(directory)) {
      return List.of();
    }
    File folder = directory.toFile();
    String[] names = folder.list();
    if (names != null) {
      return List.of(names);
    }
    if (!folder.isDirectory()) {
      throw RalphException.invalid(
          directory + " is a file, not the folder of a store; use a different path");
    }
    throw denied(directory, null);
  }

  /**
   * Returns the exception for a folder with files, but no store of the requested kind. The message
   * differs for a folder with a store of another kind, and for a store whose log is missing.
   *
   * @param kind the requested kind of store
   * @param name the name of a file in the folder that such a store does not have
   */
  public static RalphException foreign(Path directory, String kind, String name) {
    String address = address(directory);
    if (address == null && FileIdentity.of(LogWitness.file(directory)) != null) {
      return RalphException.damaged(
          "the log of the store "
              + directory
              + " is missing; git checkout, reset, stash and clean remove the log of a store that git"
              + " tracks. Restore it from git or a copy, or delete the folder to start again");
    }
    return RalphException.invalid(
        address == null
            ? directory
                + " holds "
                + RalphException.quote(name)
                + " and is not a "
                + kind
                + " store; use a different path"
            : directory + " is not a " + kind + " store; its address is " + address);
  }

  /** Returns the location of the store in a folder, as the command accepts it, or null. */
  private static @Nullable String address(Path directory) {
    try {
      String kind = Meta.parse(begin(directory, STORE_FILE)).string("ralph");
      if (kind != null) {
        return new StoreLocation(kind, directory.toString()).toString();
      }
    } catch (RalphException notOfAStore) {
      // a file store has no such file
    }
    return begin(directory, FIRST_SEGMENT).startsWith(SEGMENT_BEGIN) ? directory.toString() : null;
  }

  private static String begin(Path directory, String name) {
    try (RandomAccessFile in =
        new StoreFiles(directory).openToRead(directory.resolve(name).toFile())) {
      byte[] bytes = new byte[LONGEST_STORE_FILE];
      return new String(bytes, 0, Math.max(0, in.read(bytes)), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      return "";
    }
  }

  private static RalphException denied(Path path, @Nullable AccessDeniedException e) {
    return RalphException.io(
        path + " may not be read" + owner(path) + "; request access, or use a different path", e);
  }

  /** Returns the owner of the nearest accessible parent, for the message. */
  private static String owner(Path path) {
    for (Path at = path.toAbsolutePath(); at != null; at = at.getParent()) {
      try {
        String owner = Files.getOwner(at, LinkOption.NOFOLLOW_LINKS).getName();
        return ": " + (at.equals(path.toAbsolutePath()) ? "the path" : at) + " belongs to " + owner;
      } catch (NoSuchFileException | AccessDeniedException hidden) {
        // continue with the parent
      } catch (IOException | UnsupportedOperationException unknown) {
        return "";
      }
    }
    return "";
  }
}
