package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folders that the files of a project are looked for in: the current one, then each above it,
 * up to the root of the Git work tree, or where there is none to {@link Environment#upward the
 * end}.
 *
 * <p>Anybody can put a file into a folder such as {@code /tmp}. So what belongs neither to the
 * caller, nor to the owner of the current folder, nor to root, is passed over.
 */
public final class Project {

  private static final int ROOT = 0;

  private final List<Path> folders;
  private final Path directory;
  private Path top;
  private @Nullable Path passedOver;

  /** The project that the current folder belongs to. */
  public Project(Environment environment) {
    folders = environment.upward();
    directory = environment.directory();
    top = directory;
  }

  /** Returns the current folder. */
  Path directory() {
    return directory;
  }

  /** Returns the current folder and those above it. */
  List<Path> folders() {
    return folders;
  }

  /** Returns the last folder that {@link #find} looked into. */
  Path top() {
    return top;
  }

  /**
   * Returns the nearest file or folder of that name, or null if there is none.
   *
   * @param name a name, or a path relative to the folder it is looked for in
   */
  public @Nullable Path find(String name) {
    for (Path folder : folders) {
      top = folder;
      Path path = folder.resolve(name);
      // A link that leads nowhere counts, and in the current folder also what may not be looked at:
      // opening it says what is wrong.
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
   * Returns whether a file or folder may be used that is below another, or is not there yet. What
   * belongs to somebody else is {@linkplain #passedOver passed over}.
   */
  boolean mayUse(Path folder, String name) {
    Path path = folder.resolve(name);
    boolean trusted = isTrusted(folder.resolve(path.getName(folder.getNameCount())));
    if (!trusted) {
      passedOver = path;
    }
    return trusted;
  }

  /** Returns what was looked at last of what belongs to somebody else, or null. */
  @Nullable Path passedOver() {
    return passedOver;
  }

  private boolean isTrusted(Path path) {
    Object owner = owner(path);
    return owner == null
        || owner.equals(owner(directory))
        || owner.equals(ROOT)
        || Caller.owns(path);
  }

  private static @Nullable Object owner(Path path) {
    return owner(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the number of the user that a path belongs to, or null where that is not known. */
  static @Nullable Object owner(Path path, LinkOption... options) {
    try {
      return Files.getAttribute(path, "unix:uid", options);
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return null;
    }
  }
}
