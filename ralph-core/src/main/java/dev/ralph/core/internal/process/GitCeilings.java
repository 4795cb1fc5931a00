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

/** Where a search upward from a folder ends, as Git's does. Immutable. */
public final class GitCeilings {

  /** The variable that names folders which are not looked in, nor above. */
  public static final String VARIABLE = "GIT_CEILING_DIRECTORIES";

  private final Set<Path> ceilings;

  private GitCeilings(Set<Path> ceilings) {
    this.ceilings = ceilings;
  }

  /** Returns those of this process. */
  public static GitCeilings ofProcess() {
    return of(System.getenv(VARIABLE));
  }

  /** Returns those that a value of the variable names; null is none. */
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
        // Then nobody works below it.
      }
    }
    return new GitCeilings(ceilings);
  }

  /**
   * Returns the folders that a search looks in, the nearest first: that folder, always, and those
   * above it that are below every ceiling, up to the root of the file system.
   *
   * @param folder absolute
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
