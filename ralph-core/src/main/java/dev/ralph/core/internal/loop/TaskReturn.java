package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.Task;
import dev.ralph.core.internal.loop.run.Listeners;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.log.Meta;

/** Reports the return of a completed task, which has to be worked on again. */
final class TaskReturn {

  private TaskReturn() {}

  /**
   * Records the return with the iteration that completed the task, and emits an event.
   *
   * @param task the task after its return
   * @param before the number of failed attempts before the return
   * @param iteration the iteration that completed the task; 0 if unknown
   */
  static void report(LiveSession session, Listeners events, Task task, int before, int iteration) {
    String reason = LogText.unicode(String.valueOf(task.reason()));
    String summary = LogText.firstLine(reason);
    if (iteration > 0) {
      session.iterations().returned(iteration, task.id(), summary);
    }
    events.emit(
        LoopEvent.Type.SENT_BACK,
        0,
        "t" + task.number() + " was not merged: " + summary + attempts(task, before),
        Meta.of("task", task.id())
            .with("reason", reason)
            .with("attempt", task.attempts())
            .with("limit", task.attemptLimit() == 0 ? null : task.attemptLimit())
            .with("blocked", task.isOutOfAttempts() ? true : null),
        head -> new LoopEvent.SentBack(head, task.id(), reason));
  }

  private static String attempts(Task task, int before) {
    if (task.isOutOfAttempts()) {
      return "; the task is blocked after " + task.attempts() + " failed attempts";
    }
    if (task.attempts() == before) {
      return "; not counted as an attempt";
    }
    int limit = task.attemptLimit();
    return "; attempt " + task.attempts() + (limit == 0 ? "" : " of " + limit) + " failed";
  }
}
