package dev.ralph.core.internal.text;

import dev.ralph.Control;
import dev.ralph.Control.Activity;
import dev.ralph.Iteration;
import dev.ralph.Session;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The present activity of an agent, or of the loop as a whole. The terminal, the page and their
 * JSON show the same activities.
 *
 * @param agent the number of the agent, from 1; 0 for the whole loop, or its only agent
 * @param iteration the running iteration, or null
 * @param doing another activity, such as {@code gate mvn verify}; empty while the agent works
 * @param since the start of the activity, otherwise of the iteration; null if unknown
 * @param until the latest end of the activity, or null if unknown
 * @param waits whether the activity is only a wait
 */
public record ActivityText(
    int agent,
    @Nullable Iteration iteration,
    String doing,
    @Nullable Instant since,
    @Nullable Instant until,
    boolean waits) {

  /** The waits of unlimited duration. */
  private static final Set<Activity.Kind> WAITS =
      Set.of(Activity.Kind.PAUSED, Activity.Kind.QUESTIONS, Activity.Kind.OVER);

  /** The highest number of agents to show. */
  private static final int MOST = 100;

  /**
   * Returns the activities by agent; empty if no loop runs.
   *
   * @param loop the result of {@link Control#running()}, or null
   */
  public static List<ActivityText> of(Session session, Control.@Nullable RunningLoop loop) {
    List<ActivityText> all = new ArrayList<>();
    if (loop == null || !loop.live()) {
      return all;
    }
    List<Activity> activities = session.control().activities();
    for (Iteration each : session.iterations().list()) {
      if (each.status() == Iteration.Status.RUNNING) {
        all.add(of(each.agent(), each, of(each.agent(), activities)));
      }
    }
    boolean isHeld = false;
    boolean merges = !session.tasks().list().toMerge().isEmpty();
    for (Activity each : activities) {
      isHeld |= each.kind() == Activity.Kind.PAUSED || each.kind() == Activity.Kind.QUESTIONS;
      merges |= each.kind() == Activity.Kind.MERGE;
      if (isFree(each.agent(), all)) {
        all.add(of(each.agent(), null, each));
      }
    }
    // The wait of a whole loop is listed once.
    int agents = loop.agents() == 1 || isHeld ? 0 : Math.min(MOST, loop.agents());
    for (int agent = 1; agent <= agents; agent++) {
      if (isFree(agent, all)) {
        String doing = merges ? "waits for the merge queue" : "waits for a task";
        all.add(new ActivityText(agent, null, doing, null, null, true));
      }
    }
    all.sort(Comparator.comparingInt(ActivityText::agent));
    return all;
  }

  private static boolean isFree(int agent, List<ActivityText> all) {
    for (ActivityText each : all) {
      if (each.agent() == agent) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Activity of(int agent, List<Activity> activities) {
    for (Activity each : activities) {
      if (each.agent() == agent) {
        return each;
      }
    }
    return null;
  }

  private static ActivityText of(
      int agent, @Nullable Iteration iteration, @Nullable Activity activity) {
    if (activity == null) {
      Instant since = iteration == null ? null : iteration.started();
      return new ActivityText(agent, iteration, "", since, null, false);
    }
    return new ActivityText(
        agent,
        iteration,
        words(activity),
        activity.since(),
        activity.until(),
        iteration == null && (activity.until() != null || WAITS.contains(activity.kind())));
  }

  /** Returns the text of an activity, without its times. */
  public static String words(Activity activity) {
    String refs = String.join(", ", activity.refs());
    String about = activity.about() == null ? "" : activity.about().strip();
    return switch (activity.kind()) {
      case GATE -> "gate " + about + (refs.isEmpty() ? "" : " on " + refs);
      case MERGE ->
          activity.until() == null
              ? refs.isEmpty() ? "merges work without a task" : "merges " + refs
              : "waits to merge again: " + about;
      case FOLDER -> "prepares its folder";
      case COMMIT -> "commits its work";
      case PAUSED -> "paused";
      case QUESTIONS ->
          activity.refs().size() == 1
              ? "waits for an answer to " + refs
              : "waits for answers to " + refs;
      case FAILURE -> "waits after a failure";
      case RATE_LIMIT -> "waits because the client's limit was reached";
      case NO_PROGRESS -> "waits after an iteration that changed nothing";
      case OVER -> "takes no further turn: " + about;
    };
  }
}
