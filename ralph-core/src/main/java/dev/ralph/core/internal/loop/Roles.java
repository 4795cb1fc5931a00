package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.Session;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The roles of a loop. The next role depends only on the session, not on the run of earlier
 * iterations.
 *
 * @param plan null if the loop has no planner
 * @param review null if the loop has no reviewer
 * @param every the number of iterations between reviews
 * @param hasGoal whether a spec or a prompt specifies the work
 */
record Roles(
    LoopRole build,
    @Nullable LoopRole plan,
    @Nullable LoopRole review,
    int every,
    boolean hasGoal) {

  /** Returns the role of the next iteration. */
  LoopRole next(Session session) {
    if (plan != null
        && session.tasks().list().isEmpty()
        && (hasGoal || !session.inbox().unread().isEmpty())) {
      return plan;
    }
    return review != null && isToReview(session.iterations().list()) ? review : build;
  }

  /** A failed review is repeated, but not immediately. */
  private boolean isToReview(List<Iteration> iterations) {
    int well = 0;
    for (int i = iterations.size() - 1; i >= 0 && well < every; i--) {
      Iteration iteration = iterations.get(i);
      boolean isReview = iteration.role() == Iteration.Role.REVIEW;
      boolean isWell = iteration.status() == Iteration.Status.SUCCESS;
      if (isReview && (isWell || i == iterations.size() - 1)) {
        return false;
      }
      well += isWell ? 1 : 0;
    }
    return well >= every;
  }

  /** Returns the name of the role, or null if the loop has only one role. */
  @Nullable String word(LoopRole role) {
    return plan == null && review == null ? null : role.role().word();
  }

  /** Returns the likely mistakes of the templates. */
  List<String> warnings() {
    return Stream.of(build, plan, review)
        .filter(role -> role != null)
        .flatMap(role -> role.prompt().warnings().stream())
        .distinct()
        .toList();
  }
}
