package dev.ralph.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/**
 * Whether git tracks the files of a store: then a checkout, a reset or a stash puts back older
 * ones. A store ignores itself, but files that git tracks already stay tracked.
 */
final class GitFiles {

  private static final long TIMEOUT_SECONDS = 10;

  private GitFiles() {}

  /**
   * Returns what to tell about the store in that folder, or null if git tracks none of its files.
   */
  @Nullable
  static String warning(Path store) {
    Path folder = store.toAbsolutePath();
    while (folder != null && !Files.isDirectory(folder)) {
      folder = folder.getParent();
    }
    if (folder == null || !isInWorkTree(folder) || !isTracked(folder, store.toAbsolutePath())) {
      return null;
    }
    String quoted = "'" + store.toString().replace("'", "'\\''") + "'";
    return "git tracks files of the store "
        + store
        + ", so git checkout, reset and stash put back an older log; run: git rm -r -q --cached "
        + quoted
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
    ProcessBuilder builder =
        new ProcessBuilder(List.of("git", "ls-files", "-z", "--", store.toString()));
    builder.directory(new File(folder.toString())).redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      Process process = builder.start();
      try {
        process.getOutputStream().close();
        String names = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return Arrays.stream(names.split("\0"))
            .anyMatch(name -> !name.isEmpty() && !name.endsWith(".gitignore"));
      } finally {
        process.destroy();
      }
    } catch (IOException noGit) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
