package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.PolicyView;
import dev.ralph.core.internal.session.LiveSession;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as of the last read, for the policy.
 *
 * @param steering the control state; kept, because agents of this process may append meanwhile
 */
record SeenView(LiveSession seen, ControlState steering, Completion completion)
    implements PolicyView {

  SeenView(LiveSession seen, Completion completion) {
    this(seen, seen.control().steering(), completion);
  }

  @Override
  public boolean hasTasks() {
    return !seen.tasks().list().isEmpty();
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
  public @Nullable String refusal() {
    return completion.refusal();
  }

  @Override
  public @Nullable String remaining() {
    return completion.remaining();
  }
}
