package dev.ralph.web.internal.page;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts from a session's control frames in addition to the loop's state: the number of refused
 * completions in a row, and the reason why the newest run ended. A fold of the topic {@code
 * ralph.NAME.control}.
 */
final class RefusedCompletions {

  private static final int LONGEST_REASON = 8_000;
  private static final int MOST_REASONS = 20;

  /**
   * The facts at one moment.
   *
   * @param inARow the number of refused completions in the present or newest run
   * @param reasons the reasons of the last refusal
   * @param ended the reason why the newest run ended, as in {@link dev.ralph.StopReason}; null
   *     while it runs
   * @param agents the number of agents of the newest run
   */
  record Result(int inARow, List<String> reasons, @Nullable String ended, int agents) {}

  static final Fold<RefusedCompletions, Result> FOLD =
      Fold.of(
          "ralph.page.control",
          RefusedCompletions::new,
          RefusedCompletions::frame,
          RefusedCompletions::result);

  private int inARow;
  private List<String> reasons = List.of();
  private @Nullable String ended;
  private int agents = 1;

  private RefusedCompletions() {}

  private void frame(Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null) {
      return;
    }
    switch (action) {
      case "loop_start", "session_completed" -> {
        inARow = 0;
        reasons = List.of();
        ended = null;
        agents = (int) meta.integer("agents").orElse(action.equals("loop_start") ? 1 : agents);
      }
      case "completion_refused" -> {
        inARow++;
        reasons =
            meta.strings("reasons").stream()
                .limit(MOST_REASONS)
                .map(reason -> PageJson.cut(reason, LONGEST_REASON))
                .toList();
      }
      case "loop_end" -> ended = PageJson.beginning(meta.string("reason"));
      default -> {
        // The session itself provides the loop's state.
      }
    }
  }

  private Result result() {
    return new Result(inARow, reasons, ended, agents);
  }
}
