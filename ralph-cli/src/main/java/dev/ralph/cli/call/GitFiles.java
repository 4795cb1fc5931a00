package dev.ralph.cli.call;

import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.core.internal.text.CommandLineWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Detects stores whose files git tracks. A checkout, reset or stash would restore older files of
 * the store. A store contains a {@code .gitignore}, but git continues to track files added before.
 */
public final class GitFiles {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private GitFiles() {}

  /** Returns a warning about the store in a folder, or null if git tracks no file of the store. */
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
        + ", so git checkout, reset and stash restore an older log; run: git rm -r -q --cached "
        + CommandLineWords.quote(store.toString())
        + " && git commit -m 'Untrack the store'";
  }

  private static boolean isInWorkTree(Path folder) {
    for (Path at : GitCeilings.ofProcess().upward(folder)) {
      if (Files.exists(at.resolve(".git"))) {
        return true;
      }
    }
    return false;
  }

  /** Asks git for tracked files; returns false if git cannot answer. */
  private static boolean isTracked(Path folder, Path store) {
    return new Git(folder, PATIENCE)
        .query("ls-files", "-z", "--", store.toString())
        .map(names -> names.split("\0"))
        .map(
            names ->
                Arrays.stream(names)
                    .anyMatch(name -> !name.isEmpty() && !name.endsWith(".gitignore")))
        .orElse(false);
  }
}
