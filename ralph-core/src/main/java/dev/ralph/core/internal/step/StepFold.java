package dev.ralph.core.internal.step;

import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.HashMap;
import java.util.Map;

/**
 * Folds the frames of a session's step topic:
 *
 * <pre>
 * {action:begin, name, token, host, pid, …}
 * {action:end, name, token} + content     the result
 * {action:fail, name, token, reason}      the work threw an exception
 * </pre>
 */
public final class StepFold implements Fold<Map<String, StepState>, Map<String, StepState>> {

  @Override
  public String name() {
    return "ralph.steps";
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public Map<String, StepState> initial() {
    return new HashMap<>();
  }

  @Override
  public Map<String, StepState> apply(Map<String, StepState> state, Frame frame) {
    Meta meta = frame.meta();
    String name = meta.string("name");
    String action = meta.string("action");
    if (name == null || action == null) {
      return state;
    }
    StepState before = state.get(name);
    String token = meta.string("token");
    switch (action) {
      case "begin" ->
          state.put(
              name,
              new StepState(
                  token,
                  ProcessIdentity.of(meta),
                  before == null ? frame.time() : before.begun(),
                  null));
      case "end" -> state.put(name, new StepState(token, null, frame.time(), frame.id()));
      case "fail" -> state.remove(name);
      default -> {} // written by a newer version
    }
    return state;
  }

  @Override
  public Map<String, StepState> result(Map<String, StepState> state) {
    return Map.copyOf(state);
  }
}
