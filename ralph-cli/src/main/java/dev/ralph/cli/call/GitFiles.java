package dev.ralph.cli.call;

import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Whether git tracks the files of a store: then a checkout, a reset or a stash puts back older
 * ones. A store ignores itself, but files that git tracks already stay tracked.
 */
public final class GitFiles {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private GitFiles() {}

  /**
   * Returns what to tell about the store in that folder, or null if git tracks none of its files.
   */
  public static @Nullable String warning(Path store) {
    Path folder = store.toAbsolutePath().getParent();
    while (folder != null && !Files.isDirectory(folder)) {
      folder = folder.getParent();
    }
    if (folder == null || !isInWorkTree(folder) || !isTracked(folder, store.toAbsolutePath())) {
      return null;
    }
    return "git tracks files of the store "
        + store
        + ", so git checkout, reset and stash put back an older log; run: git rm -r -q --cached "
        + CommandLineWords.quote(store.toString())
        + " && git commit -m 'Untrack the store'";
  }

  private static boolean isInWorkTree(Path folder) {
    for (Path at = folder; at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".git"))) {
        return true;
      }
    }
    return false;
  }

  /** Asks git; where it can't be asked, nothing is known to be tracked. */
  private static boolean isTracked(Path folder, Path store) {
    return new Git(folder, PATIENCE)
        .look("ls-files", "-z", "--", store.toString())
        .map(names -> names.split("\0"))
        .map(
            names ->
                Arrays.stream(names)
                    .anyMatch(name -> !name.isEmpty() && !name.endsWith(".gitignore")))
        .orElse(false);
  }
}
