package dev.ralph.web.internal.page;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session's control frames tell besides how its loop stands: how often completion was
 * refused in a row, and why the newest run ended. A fold of the topic {@code ralph.NAME.control}.
 */
final class Refusals {

  private static final int LONGEST_REASON = 8_000;
  private static final int MOST_REASONS = 20;

  /**
   * All of it at one moment.
   *
   * @param inARow how often completion was refused in this run, or the newest one, since it began
   * @param reasons why it was refused last
   * @param ended why the newest run ended, as a {@link dev.ralph.StopReason} has it; null while it
   *     has not
   */
  record Result(int inARow, List<String> reasons, @Nullable String ended) {}

  static final Fold<Refusals, Result> FOLD =
      Fold.of("ralph.page.control", Refusals::new, Refusals::frame, Refusals::result);

  private int inARow;
  private List<String> reasons = List.of();
  private @Nullable String ended;

  private Refusals() {}

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
      }
      case "completion_refused" -> {
        inARow++;
        reasons =
            meta.strings("reasons").stream()
                .limit(MOST_REASONS)
                .map(reason -> Shown.cut(reason, LONGEST_REASON))
                .toList();
      }
      case "loop_end" -> ended = Shown.beginning(meta.string("reason"));
      default -> {
        // How the loop stands, which the session tells.
      }
    }
  }

  private Result result() {
    return new Result(inARow, reasons, ended);
  }
}
