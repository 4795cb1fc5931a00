package dev.ralph.core.internal.prompt;

import dev.ralph.Task;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom an agent works with that is one of several on a session, and what it was given to do.
 *
 * @param agent its number, from 1
 * @param agents how many there are
 * @param task what it was given; null where it works alone
 * @param branch that it works on; null where all share a folder
 * @param target the session's branch; null where all share a folder
 * @param isTakenUp whether the branch has what an earlier agent did
 * @param sentBack why what was done on the branch could not land; null where it was not tried
 * @param others those that are at work
 */
public record Company(
    int agent,
    int agents,
    @Nullable Task task,
    @Nullable String branch,
    @Nullable String target,
    boolean isTakenUp,
    @Nullable String sentBack,
    List<Other> others) {

  /** Makes one; the list is copied. */
  public Company {
    others = List.copyOf(others);
  }

  /** Another agent, and what it works on. */
  public record Other(int agent, Task task) {}
}
