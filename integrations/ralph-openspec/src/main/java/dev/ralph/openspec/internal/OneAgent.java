package dev.ralph.openspec.internal;

import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.Verdict;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The strategy for one agent, which works in the project itself. In a work tree each story is
 * committed when it is complete. In a checkout the agent or the user commits.
 */
final class OneAgent extends StoryWork {

  OneAgent(ChangeSession work, @Nullable Worktree tree) {
    super(work, tree);
  }

  @Override
  void addTo(Loop.Builder loop, String story) {
    Worktree own = tree;
    if (own != null) {
      loop.finalGate(Gate.named("the commit", context -> commit(own, story)));
    }
  }

  @Override
  void addFirstGate(Loop.Builder loop) {
    if (tree != null) {
      tree.preCommit().ifPresent(loop::gate);
    }
  }

  private Verdict commit(Worktree tree, String id) throws InterruptedException {
    Story now = work.story(id);
    StringBuilder message = new StringBuilder(now.title().isEmpty() ? "Story " + id : now.title());
    message.append("\n\n");
    now.tasks().forEach(task -> message.append("- ").append(task.description()).append('\n'));
    message.append("\nStory ").append(id).append(" of the change ").append(work.changeName());
    try {
      tree.commit(message.toString());
      return Verdict.passed();
    } catch (RepositoryLockedException e) {
      throw e; // ends the loop
    } catch (RalphException e) {
      return Verdict.failed(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  @Override
  List<String> open(String story) {
    return work.sync(story).tasks().stream()
        .filter(task -> !task.done())
        .map(StoryTask::id)
        .toList();
  }

  @Override
  void end(String story) {
    work.sync(story);
  }

  @Override
  String setAside(String story) {
    if (tree == null) {
      return "";
    }
    work.sync(story); // records the ticks, so their removal is detected
    try {
      return tree.setAside(
              "story-" + story.replaceAll("[^A-Za-z0-9_-]", ""),
              "Unfinished work of story " + story + " of " + work.changeName())
          .map(branch -> "; unfinished work of story " + story + " is on the branch " + branch)
          .orElse("");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  @Override
  String place() {
    return tree == null ? "" : "; the work is on the branch " + tree.branch();
  }
}
