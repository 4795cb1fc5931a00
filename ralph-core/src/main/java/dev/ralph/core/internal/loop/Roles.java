package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.Session;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who does what in a loop. Which role is next is told by the session alone, so it does not matter
 * which run its iterations were of.
 *
 * @param plan null where nobody only plans
 * @param review null where nobody reviews
 * @param every after how many iterations there is a review
 * @param hasGoal whether a spec or a prompt says what to do
 */
record Roles(
    LoopRole build,
    @Nullable LoopRole plan,
    @Nullable LoopRole review,
    int every,
    boolean hasGoal) {

  /** Returns the role of the iteration that begins next. */
  LoopRole next(Session session) {
    if (plan != null
        && session.tasks().list().isEmpty()
        && (hasGoal || !session.inbox().unread().isEmpty())) {
      return plan;
    }
    return review != null && isToReview(session.iterations().list()) ? review : build;
  }

  /** A review that failed is made up for, but not at once. */
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

  /** Returns the role in a word, or null where there is no other. */
  @Nullable String word(LoopRole role) {
    return plan == null && review == null ? null : role.role().word();
  }

  /** Returns what in the templates is allowed but hardly meant. */
  List<String> warnings() {
    return Stream.of(build, plan, review)
        .filter(role -> role != null)
        .flatMap(role -> role.prompt().warnings().stream())
        .distinct()
        .toList();
  }
}
