package dev.ralph.core.internal.control;

import dev.ralph.Control.Activity;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a run does besides the work of its agents, at one moment. Immutable.
 *
 * @param run the token of the newest run that said anything, or null if none has
 * @param byAgent one for each agent that does something of the kind, and for the loop as a whole
 */
public record Activities(@Nullable String run, TreeMap<Integer, Activity> byAgent) {

  /** More agents than this nobody has; the rest is input. */
  private static final int MOST = 1_000;

  static final Activities NONE = new Activities(null, new TreeMap<>());

  /** Returns what that run does. */
  List<Activity> of(@Nullable String token) {
    return token == null || !token.equals(run) ? List.of() : List.copyOf(byAgent.values());
  }

  /** An agent does something else now, or nothing of the kind if that is null. */
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
