package dev.ralph.cli.call;

import dev.ralph.RalphException;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
    StringBuffer names = new StringBuffer();
    ProcessSpec spec =
        ProcessSpec.command(List.of("git", "ls-files", "-z", "--", store.toString()))
            .directory(folder)
            .onStdout(names::append)
            .build();
    try (ManagedProcess git = ManagedProcess.start(spec)) {
      return git.await(PATIENCE).filter(ProcessExit::isSuccess).isPresent()
          && Arrays.stream(names.toString().split("\0"))
              .anyMatch(name -> !name.isEmpty() && !name.endsWith(".gitignore"));
    } catch (RalphException noGit) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
