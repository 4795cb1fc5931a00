package dev.ralph.openspec;

import dev.ralph.Loop;
import dev.ralph.core.Worktree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the boxes of a story come to be ticked, and what was done for it into the repository. For one
 * thread at a time.
 */
abstract class StoryWork {

  final ChangeSession work;

  /** Where commits are made; null where none are. */
  final @Nullable Worktree tree;

  StoryWork(ChangeSession work, @Nullable Worktree tree) {
    this.work = work;
    this.tree = tree;
  }

  /** Gives a story's loop what it needs for that. */
  abstract void addTo(Loop.Builder loop, String story);

  /** Adds the gate that comes before all others of a story, where there is one. */
  void addFirstGate(Loop.Builder loop) {}

  /** Makes ready for the next story, or for the end of the change, where that takes anything. */
  void begin() {}

  /**
   * Brings the list of the file and that of the session into line while a story is worked on.
   *
   * @return the ids of its tasks that are still to be done
   */
  abstract List<String> open(String story);

  /** Brings them into line once more, as the loop of a story has ended. */
  abstract void end(String story);

  /** Sets aside what a story that failed has left here; returns where it is, for people. */
  String setAside(String story) {
    return "";
  }

  /** Returns where the work is once all is committed, for people; empty where the caller knows. */
  String place() {
    return "";
  }

  /** Commits all that was changed in the work tree. */
  final void commit(String message) {
    if (tree != null) {
      try {
        tree.commit(message);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
