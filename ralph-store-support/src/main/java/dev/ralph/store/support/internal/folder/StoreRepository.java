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
 * The empty repository in a store's folder, {@code .git}: {@code git clean -fdx} and {@code git
 * stash -a} delete what git ignores, but pass over a repository within their own.
 *
 * <p>Git must ignore the store for certain then, because it refuses to add a folder with a
 * repository that has no commit. So {@code info/exclude} of the repository around it says so, which
 * git itself never deletes; and where that can't be, there is no repository in the store either.
 *
 * <p>Its configuration names an extension that no git knows, so git refuses to work with it: called
 * in the store's folder, {@code git clean -fdx} would take the log.
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
          "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tralphstore = true\n");

  private StoreRepository() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  // ---- a received one

  /**
   * Checks that there is no repository in a store but ours: git that is run in the store's folder
   * would obey its configuration, which can name commands.
   *
   * @throws RalphException INVALID if there is another one, with what to do
   */
  public static void requireOurs(Path store) {
    Path git = store.resolve(NAME);
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(git, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException missing) {
      return; // or out of sight, and then of git's, too
    }
    if (!attributes.isDirectory()) {
      throw foreign(store, attributes.isSymbolicLink() ? "is a symbolic link" : "is no folder");
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
      throw foreign(files.root(), "holds another " + file.getName() + " than Ralph writes");
    }
  }

  /** A file of another length is not read. */
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
            + ", so it is not Ralph's. Git that is run in the store's folder would obey it, and may"
            + " run commands that it names. Move it away while nothing uses the store");
  }

  // ---- ours

  /**
   * Keeps git from the files of a store, as far as that can be: it would put back older ones, or
   * delete them. Never fails. Called without the lock.
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
        new StoreFiles(store).deleteIfExists(head); // else git add would fail
      }
    } catch (IOException | RalphException e) {
      System.getLogger(StoreRepository.class.getName())
          .log(System.Logger.Level.DEBUG, "git clean may delete the store in " + store, e);
    }
  }

  private static void make(Path store, StoreLock lock, EnclosingRepository around)
      throws IOException {
    // So that the rule is added once; the one who holds the lock, or opens the store next, adds it.
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
      files.writeAtomically(git.resolve(HEAD), HEAD_BYTES, true); // makes it a repository
    } finally {
      lock.release();
    }
  }

  /**
   * Lets git ignore the store where somebody makes the project's repository again, and with it
   * {@code info/exclude}. Git may delete or stash this file, and can't put back a stashed one over
   * another. So it is not made again each time that it is missing.
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

  /** Returns whether git takes it for a repository. */
  private static boolean isThere(Path store) {
    File git = new File(store.toString(), NAME);
    return new File(git, HEAD).exists()
        && new File(git, "objects").exists()
        && new File(git, "refs").exists();
  }

  /** Returns whether the store ignores itself: who wants it in git has another file there. */
  private static boolean hides(Path store) {
    return new File(store.toString(), IGNORE_FILE).length() == StoreFolder.IGNORES_ALL.length();
  }

  // ---- for people

  /**
   * Returns why {@code git clean -fdx} and {@code git stash -a} would delete a store, or null if
   * they would not, or that can't be told.
   */
  public static @Nullable String exposure(Path store) {
    try {
      EnclosingRepository around = hides(store) ? EnclosingRepository.of(store) : null;
      if (around == null || isThere(store) && around.ignores()) {
        return null;
      }
      String obstacle = around.obstacle();
      return obstacle == null ? "the next append keeps them from it" : obstacle;
    } catch (IOException unknown) {
      return null;
    }
  }

  /** Returns whether there was a store in that folder of a work tree, as far as is known. */
  public static boolean wasIn(Path store) {
    try {
      EnclosingRepository around = EnclosingRepository.of(store);
      return around != null && around.hadStore();
    } catch (IOException unknown) {
      return false;
    }
  }
}
