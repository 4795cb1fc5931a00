package dev.ralph.core.internal.control;

import dev.ralph.Control.Activity;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The activities of a run besides its agents' work, at one moment. Immutable.
 *
 * @param run the token of the newest run with a recorded activity, or null for none
 * @param byAgent the activities by agent number; 0 for the loop as a whole
 */
public record Activities(@Nullable String run, TreeMap<Integer, Activity> byAgent) {

  /**
   * The maximum number of activities. Loops have fewer agents; further entries are invalid input.
   */
  private static final int MOST = 1_000;

  static final Activities NONE = new Activities(null, new TreeMap<>());

  /** Returns the activities of a run. */
  List<Activity> of(@Nullable String token) {
    return token == null || !token.equals(run) ? List.of() : List.copyOf(byAgent.values());
  }

  /** Returns these activities with an agent's activity replaced, or removed if null. */
  Activities with(@Nullable String token, int agent, @Nullable Activity activity) {
    boolean isSameRun = token != null && token.equals(run);
    TreeMap<Integer, Activity> all = isSameRun ? new TreeMap<>(byAgent) : new TreeMap<>();
    all.remove(agent);
    if (activity != null && all.size() < MOST) {
      all.put(agent, activity);
    }
    return new Activities(token, all);
  }

  static Activities of(@Nullable String run, Collection<Activity> all) {
    TreeMap<Integer, Activity> byAgent = new TreeMap<>();
    all.forEach(each -> byAgent.put(each.agent(), each));
    return new Activities(run, byAgent);
  }
}
