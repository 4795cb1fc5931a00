package dev.ralph.core.internal.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The folders at which an upward search for a repository ends, as for Git. Immutable. */
public final class GitCeilings {

  /** The variable that lists the ceiling folders; neither they nor their parents are searched. */
  public static final String VARIABLE = "GIT_CEILING_DIRECTORIES";

  private final Set<Path> ceilings;

  private GitCeilings(Set<Path> ceilings) {
    this.ceilings = ceilings;
  }

  /** Returns the ceilings of this process. */
  public static GitCeilings ofProcess() {
    return of(System.getenv(VARIABLE));
  }

  /** Returns the ceilings that a value of the variable lists; none if the value is null. */
  public static GitCeilings of(@Nullable String list) {
    Set<Path> ceilings = new HashSet<>();
    for (String name : list == null ? new String[0] : list.split(File.pathSeparator)) {
      try {
        Path folder = Path.of(name);
        if (folder.isAbsolute()) {
          ceilings.add(folder.normalize());
          ceilings.add(folder.toRealPath());
        }
      } catch (InvalidPathException | IOException noFolder) {
        // An invalid or missing folder cannot contain a searched folder.
      }
    }
    return new GitCeilings(ceilings);
  }

  /**
   * Returns the folders to search, the nearest first. The given folder is always included, its
   * parents up to the first ceiling or the root of the file system.
   *
   * @param folder an absolute path
   */
  public List<Path> upward(Path folder) {
    List<Path> folders = new ArrayList<>();
    Path at = folder;
    do {
      folders.add(at);
      at = at.getParent();
    } while (at != null && !ceilings.contains(at));
    return folders;
  }
}
