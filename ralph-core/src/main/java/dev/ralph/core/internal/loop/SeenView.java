package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.PolicyView;
import dev.ralph.core.internal.session.LiveSession;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A session as of the last look, for the policy. */
final class SeenView implements PolicyView {

  private final LiveSession seen;
  private final RemainingWork remaining;
  private final ControlState steering;

  /**
   * @param remaining the remaining work in the present state
   */
  SeenView(LiveSession seen, RemainingWork remaining) {
    this.seen = seen;
    this.remaining = remaining;
    this.steering = seen.control().steering(); // agents of this process may append meanwhile
  }

  @Override
  public ControlState steering() {
    return steering;
  }

  @Override
  public boolean hasTasks() {
    return !seen.tasks().list().isEmpty();
  }

  @Override
  public boolean hasUnread() {
    return !seen.inbox().unread().isEmpty();
  }

  @Override
  public List<Iteration> iterations() {
    return seen.iterations().list();
  }

  @Override
  public List<String> openQuestions() {
    return seen.questions().open().stream().map(question -> "q" + question.number()).toList();
  }

  @Override
  public @Nullable String unread() {
    return seen.control().unread();
  }

  @Override
  public List<Task> outOfAttempts() {
    return seen.tasks().allOutOfAttempts();
  }

  @Override
  public int readyTasks() {
    return seen.tasks().ready().size();
  }

  @Override
  public int heldUpByMerge() {
    return seen.tasks().heldUpByLanding();
  }

  @Override
  public List<String> tasksToMerge() {
    List<String> ids = new ArrayList<>();
    for (Task task : seen.tasks().list().toLand()) {
      ids.add(task.id());
    }
    return ids;
  }

  @Override
  public RemainingWork remaining() {
    return remaining;
  }
}
