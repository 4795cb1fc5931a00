package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.policy.LoopRules;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSettings;
import java.util.List;
import java.util.Objects;
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
public record Roles(
    LoopRole build,
    @Nullable LoopRole plan,
    @Nullable LoopRole review,
    int every,
    boolean hasGoal) {

  /** Returns the settings of a role of the loop. */
  public LoopRole of(Iteration.Role role) {
    LoopRole found =
        role == Iteration.Role.PLAN ? plan : role == Iteration.Role.REVIEW ? review : build;
    return Objects.requireNonNull(found, "the loop has the role");
  }

  /** Returns the settings that decisions depend on. */
  public LoopRules rules(LoopSettings settings) {
    return new LoopRules(
        settings.maxIterations(),
        settings.maxFailures(),
        settings.waitForAnswers(),
        plan != null,
        hasGoal,
        review == null ? 0 : every);
  }

  /** Returns all roles. */
  public List<LoopRole> all() {
    return Stream.of(build, plan, review).filter(Objects::nonNull).toList();
  }

  /** Returns the name of the role, or null if the loop has only one role. */
  @Nullable String word(LoopRole role) {
    return plan == null && review == null ? null : role.role().word();
  }

  /** Returns the likely mistakes of the templates. */
  public List<String> warnings() {
    return all().stream().flatMap(role -> role.prompt().warnings().stream()).distinct().toList();
  }
}
