package dev.ralph.openspec.internal;

import dev.ralph.Loop;
import dev.ralph.core.Worktree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The strategy for ticking the tasks of a story and for committing its changes. Not thread-safe.
 */
abstract class StoryWork {

  final ChangeSession work;

  /** The work tree for commits, or null if nothing is committed. */
  final @Nullable Worktree tree;

  StoryWork(ChangeSession work, @Nullable Worktree tree) {
    this.work = work;
    this.tree = tree;
  }

  /** Adds the settings of this strategy to the loop of a story. */
  abstract void addTo(Loop.Builder loop, String story);

  /** Adds the first gate of a story, if there is one. */
  void addFirstGate(Loop.Builder loop) {}

  /** Prepares the next story, or the end of the change. */
  void begin() {}

  /**
   * Synchronises the list of the file and the list of the session during a story.
   *
   * @return the ids of the open tasks
   */
  abstract List<String> open(String story);

  /** Synchronises both lists once more after the loop of a story has ended. */
  abstract void end(String story);

  /**
   * Sets aside the uncommitted changes of a failed story. Returns their place, for people, or an
   * empty text.
   */
  String setAside(String story) {
    return "";
  }

  /**
   * Returns the place of the committed work, for people, or an empty text if the caller knows the
   * place.
   */
  String place() {
    return "";
  }

  /** Commits all changes in the work tree. */
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
