package dev.ralph.core.internal.loop;

import dev.ralph.Task;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;

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
  static void report(LiveSession session, LoopEvents events, Task task, int before, int iteration) {
    if (iteration > 0) {
      String reason = LogText.unicode(String.valueOf(task.reason()));
      session.iterations().returned(iteration, task.id(), LogText.firstLine(reason));
    }
    events.sentBack(task, before);
  }
}
