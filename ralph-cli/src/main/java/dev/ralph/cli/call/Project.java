package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The search path for files of a project: the current folder and its ancestors up to the root of
 * the Git work tree. Without a work tree, the search ends at the {@link Environment#upward end} of
 * all ancestors.
 *
 * <p>Every user can create files in a folder such as {@code /tmp}. The search therefore ignores
 * files unless the caller, root, or the owner of the current folder owns them.
 */
public final class Project {

  private static final int ROOT = 0;

  private final List<Path> folders;
  private final Path directory;
  private Path top;
  private @Nullable Path passedOver;

  /** Creates the search path of the current folder. */
  public Project(Environment environment) {
    folders = environment.upward();
    directory = environment.directory();
    top = directory;
  }

  /**
   * Returns the nearest file of the project with a name, or null. Warns about a file that is
   * ignored because another user owns it.
   */
  public static @Nullable Path file(Environment environment, String name) {
    Project project = new Project(environment);
    Path file = project.find(name);
    Path other = project.passedOver();
    if (other != null) {
      environment.warn(other + " belongs to another user and is ignored");
    }
    return file;
  }

  /**
   * Returns the nearest folder that contains a path, or the current folder.
   *
   * @param inside a relative path of names
   */
  public static Path folder(Environment environment, Path inside) {
    Path found = file(environment, inside.toString());
    for (int i = 0; found != null && i < inside.getNameCount(); i++) {
      found = found.getParent();
    }
    return found == null ? environment.directory() : found;
  }

  /** Returns the current folder. */
  Path directory() {
    return directory;
  }

  /** Returns the current folder and its ancestors. */
  List<Path> folders() {
    return folders;
  }

  /** Returns the last folder searched by {@link #find}. */
  Path top() {
    return top;
  }

  /**
   * Returns the nearest file or folder with a name, or null.
   *
   * @param name a name, or a path relative to each searched folder
   */
  public @Nullable Path find(String name) {
    for (Path folder : folders) {
      top = folder;
      Path path = folder.resolve(name);
      // A broken link counts as found, and in the current folder also an inaccessible file. Opening
      // the file then reports the cause.
      boolean isThere =
          folder.equals(directory)
              ? !Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
              : Files.exists(path, LinkOption.NOFOLLOW_LINKS);
      if (isThere && mayUse(folder, name)) {
        return path;
      }
      if (Files.exists(folder.resolve(".git"))) {
        break;
      }
    }
    return null;
  }

  /**
   * Returns whether a file or folder below a folder may be used; it need not exist. A file of
   * another user is recorded as {@linkplain #passedOver passed over}.
   */
  boolean mayUse(Path folder, String name) {
    Path path = folder.resolve(name);
    boolean trusted = isTrusted(folder.resolve(path.getName(folder.getNameCount())));
    if (!trusted) {
      passedOver = path;
    }
    return trusted;
  }

  /** Returns the last file ignored because of its owner, or null. */
  @Nullable Path passedOver() {
    return passedOver;
  }

  private boolean isTrusted(Path path) {
    Object owner = owner(path);
    return owner == null
        || owner.equals(owner(directory))
        || owner.equals(ROOT)
        || CurrentUser.owns(path);
  }

  private static @Nullable Object owner(Path path) {
    return owner(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the user id of the owner of a path, or null if unknown. */
  static @Nullable Object owner(Path path, LinkOption... options) {
    try {
      return Files.getAttribute(path, "unix:uid", options);
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return null;
    }
  }
}
