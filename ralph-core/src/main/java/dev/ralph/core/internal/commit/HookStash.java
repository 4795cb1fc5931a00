package dev.ralph.core.internal.commit;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.Git;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The stash entries before a hook runs. All work trees share one stash. A hook that runs {@code git
 * stash} without changes and then {@code git stash pop} would take an entry of the user.
 */
final class HookStash {

  private record Entry(String commit, String message) {}

  private final Git git;
  private final List<Entry> before;

  private HookStash(Git git, List<Entry> before) {
    this.git = git;
    this.before = before;
  }

  static HookStash of(Git git) throws InterruptedException {
    return new HookStash(git, entries(git));
  }

  private static List<Entry> entries(Git git) throws InterruptedException {
    List<Entry> entries = new ArrayList<>();
    String list =
        GitTrees.require("git stash list", git.run("stash", "list", "--format=%H %gs")).output();
    for (String line : list.lines().toList()) {
      int end = line.indexOf(' ');
      if (end > 0) {
        entries.add(new Entry(line.substring(0, end), line.substring(end + 1)));
      }
    }
    return entries;
  }

  /** Restores removed entries, and returns whether any existed. */
  boolean putBack() throws InterruptedException {
    List<Entry> gone = new ArrayList<>(before);
    gone.removeAll(entries(git));
    Collections.reverse(gone); // the newest is stored last
    for (Entry each : gone) {
      GitTrees.require(
          "git stash store",
          git.run("stash", "store", "--quiet", "-m", each.message(), each.commit()));
    }
    return !gone.isEmpty();
  }
}
