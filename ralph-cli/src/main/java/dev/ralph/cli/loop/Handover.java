package dev.ralph.cli.loop;

import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.core.WorkBranch;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Brings what several agents have done into what the user has checked out, once all of it is done;
 * or says how. For one thread at a time.
 */
final class Handover {

  private final Path folder;
  private final String session;

  /** What was checked out when the build began; null where no branch was. */
  private final @Nullable String from;

  private List<String> said = List.of();

  Handover(Path folder, String session) {
    this.folder = folder;
    this.session = session;
    this.from = GitHead.of(folder).branch();
  }

  /** Takes the work over at the end of a loop. */
  void event(LoopEvent event) {
    if (event instanceof LoopEvent.LoopEnded ended) {
      ended(ended.result());
    }
  }

  /** Takes the work over once all loops have ended. */
  void ended(LoopResult result) {
    try {
      said = end(result.reason() == StopReason.COMPLETED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<String> end(boolean isComplete) throws InterruptedException {
    WorkBranch branch;
    try {
      branch = WorkBranch.of(folder, session);
    } catch (NotFoundException e) {
      return List.of(); // nobody came so far
    }
    if (branch.commits() == 0) {
      String more = branch.unsaved();
      return List.of(
          more.isEmpty()
              ? "all of it is in what is checked out"
              : "all that has landed is in what is checked out; there is more: " + more);
    }
    String commits = branch.commits() + (branch.commits() == 1 ? " commit" : " commits");
    String place = "the work is on the branch " + branch.branch() + ", " + commits;
    if (isComplete && from != null && from.equals(GitHead.of(folder).branch())) {
      try {
        branch.merge();
        return List.of(commits + " of " + branch.branch() + " are in " + from + " now");
      } catch (RalphException e) {
        return List.of(
            place,
            "it was not taken over: " + Objects.requireNonNullElse(e.getMessage(), e.toString()),
            "to take it over: ralph branch merge " + session);
      }
    }
    return List.of(
        place,
        "to see it: ralph branch diff " + session,
        "to take it over: ralph branch merge " + session);
  }

  /** Returns what became of the work, and what a person can do with it, as lines. */
  List<String> said() {
    return said;
  }
}
