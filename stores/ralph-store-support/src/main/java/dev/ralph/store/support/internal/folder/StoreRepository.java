package dev.ralph.store.support.internal.folder;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.StoreLock;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The empty git repository {@code .git} in the folder of a store. {@code git clean -fdx} and {@code
 * git stash -a} delete ignored files, but skip nested repositories.
 *
 * <p>Git refuses to add a folder with a repository without commits. Therefore git has to ignore the
 * store, by a rule in {@code info/exclude} of the enclosing repository. Git never deletes this
 * file. If the rule can't be added, the store gets no repository.
 *
 * <p>The configuration of the repository names an extension unknown to git. Therefore git refuses
 * every command. Otherwise {@code git clean -fdx} in the store's folder would delete the log.
 */
public final class StoreRepository {

  private static final String NAME = ".git";
  private static final String HEAD = "HEAD";
  private static final String CONFIG = "config";
  private static final String USUAL_FOLDER = ".ralph";
  private static final String IGNORE_FILE = ".gitignore";

  private static final byte[] HEAD_BYTES = ascii("ref: refs/heads/none\n");
  private static final byte[] CONFIG_BYTES =
      ascii(
          "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tralphstore ="
              + " true\n");

  private StoreRepository() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  // ---- checking a received store

  /**
   * Checks that a store contains no foreign git repository. Git in the store's folder would obey
   * the configuration of that repository, which can name commands.
   *
   * @throws RalphException INVALID, with a remedy, if a foreign repository exists
   */
  public static void requireOurs(Path store) {
    Path git = store.resolve(NAME);
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(git, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException missing) {
      return; // missing, or inaccessible to git as well
    }
    if (!attributes.isDirectory()) {
      throw foreign(store, attributes.isSymbolicLink() ? "is a symbolic link" : "is not a folder");
    }
    requireNone(store, new File(git.toString(), "hooks"));
    requireNone(store, new File(git.toString(), "commondir"));
    StoreFiles files = new StoreFiles(store);
    requireSame(files, new File(git.toString(), CONFIG), CONFIG_BYTES);
    requireSame(files, new File(git.toString(), HEAD), HEAD_BYTES);
  }

  private static void requireNone(Path store, File file) {
    if (file.exists()) {
      throw foreign(store, "holds " + file.getName());
    }
  }

  private static void requireSame(StoreFiles files, File file, byte[] ours) {
    if (!holds(files, file, ours) && file.canRead()) {
      throw foreign(files.root(), "has a " + file.getName() + " not written by Ralph");
    }
  }

  /** Does not read a file of another length. */
  private static boolean holds(StoreFiles files, File file, byte[] ours) {
    try {
      return file.length() == ours.length
          && Arrays.equals(files.read(file.toPath(), ours.length), ours);
    } catch (IOException unreadable) {
      return false;
    }
  }

  private static RalphException foreign(Path store, String what) {
    Path git = store.resolve(NAME);
    return RalphException.invalid(
        git
            + " "
            + what
            + ", so Ralph did not create it. Git in the store's folder would run commands that its"
            + " configuration names. Move it away while no process uses the store");
  }

  // ---- creating the repository

  /**
   * Protects the files of a store from git as far as possible: git could restore older versions, or
   * delete files. Never throws. The caller must not hold the lock.
   */
  public static void keep(Path store, StoreLock lock) {
    StoreFolder.hideFromGit(store);
    try {
      EnclosingRepository around = hides(store) ? EnclosingRepository.of(store) : null;
      if (around == null) {
        return;
      }
      boolean isThere = isThere(store);
      if (isThere && around.ignores()) {
        return;
      }
      if (around.obstacle() == null) {
        make(store, lock, around);
      } else if (isThere && around.hasException()) {
        Path head = store.resolve(NAME).resolve(HEAD);
        new StoreFiles(store).deleteIfExists(head); // otherwise git add would fail
      }
    } catch (IOException | RalphException e) {
      System.getLogger(StoreRepository.class.getName())
          .log(System.Logger.Level.DEBUG, "git clean may delete the store in " + store, e);
    }
  }

  private static void make(Path store, StoreLock lock, EnclosingRepository around)
      throws IOException {
    // The lock ensures that only one process adds the rule. If another process holds the lock, the
    // holder or the next opener of the store adds the rule.
    if (!lock.tryAcquire()) {
      return;
    }
    try {
      around.ignore(!isThere(store));
      ignoreInUsualFolder(store);
      StoreFiles files = new StoreFiles(store);
      Path git = files.path(NAME);
      files.createDirectories(git.resolve("objects"));
      files.createDirectories(git.resolve("refs"));
      files.writeAtomically(git.resolve(CONFIG), CONFIG_BYTES, true);
      // the last file of a valid repository
      files.writeAtomically(git.resolve(HEAD), HEAD_BYTES, true);
    } finally {
      lock.release();
    }
  }

  /**
   * Writes a {@code .gitignore} by which git ignores the store after the project's repository, and
   * with it {@code info/exclude}, was created anew. Git may delete or stash the file, and can't
   * restore a stashed file over an existing one. So the file is written only together with the
   * repository.
   */
  private static void ignoreInUsualFolder(Path store) throws IOException {
    Path real = store.toRealPath();
    Path folder = real.getParent();
    if (folder == null || !folder.endsWith(USUAL_FOLDER)) {
      return;
    }
    Path file = folder.resolve(IGNORE_FILE);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      String lines =
          "/" + IGNORE_FILE + "\n" + IgnoreRules.lineFor(String.valueOf(real.getFileName())) + "\n";
      PrivateFiles.writeAtomically(file, lines.getBytes(StandardCharsets.UTF_8), false);
    }
  }

  /** Returns true if git recognizes the repository. */
  private static boolean isThere(Path store) {
    File git = new File(store.toString(), NAME);
    return new File(git, HEAD).exists()
        && new File(git, "objects").exists()
        && new File(git, "refs").exists();
  }

  /**
   * Returns true if the store's {@code .gitignore} is ours. Users who track a store with git
   * replace the file.
   */
  private static boolean hides(Path store) {
    return new File(store.toString(), IGNORE_FILE).length() == StoreFolder.IGNORES_ALL.length();
  }

  // ---- diagnosis

  /**
   * Returns the reason why {@code git clean -fdx} and {@code git stash -a} would delete a store, or
   * null if they would not or this is unknown.
   */
  public static @Nullable String exposure(Path store) {
    try {
      EnclosingRepository around = hides(store) ? EnclosingRepository.of(store) : null;
      if (around == null || isThere(store) && around.ignores()) {
        return null;
      }
      String obstacle = around.obstacle();
      return obstacle == null ? "the next append protects the store" : obstacle;
    } catch (IOException unknown) {
      return null;
    }
  }

  /** Returns true if a store is known to have existed in this folder of a work tree. */
  public static boolean wasIn(Path store) {
    try {
      EnclosingRepository around = EnclosingRepository.of(store);
      return around != null && around.hadStore();
    } catch (IOException unknown) {
      return false;
    }
  }
}
