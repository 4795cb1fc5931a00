package dev.ralph.core.internal.session;

import dev.ralph.Control;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Deletes a session: erases all its frames, then appends a mark to its control topic: {@code
 * {action:session_deleted}}. While the mark is the newest frame, the session does not exist.
 */
final class SessionDeletion {

  private static final String ACTION = "session_deleted";

  /** The maximum number of attempts, because other programs may append frames meanwhile. */
  private static final int ATTEMPTS = 10;

  private SessionDeletion() {}

  private static boolean isMark(Frame frame) {
    return ACTION.equals(frame.meta().string("action"));
  }

  /**
   * Returns the newest frame of a session. Returns empty if no frame was appended since the last
   * deletion, or if every frame is erased, as after an interrupted deletion.
   *
   * @param all selects the session's frames
   */
  static Optional<Frame> newest(FrameLog log, TopicFilter all) {
    Optional<Frame> last = log.last(all);
    if (last.isEmpty() || !last.get().isErasureNotice()) {
      return last.filter(frame -> !isMark(frame));
    }
    try (FrameCursor cursor = log.read(Query.of(all).backward())) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (isMark(frame)) {
          return Optional.empty();
        }
        if (!frame.isErased() && !frame.isErasureNotice()) {
          return Optional.of(frame);
        }
      }
    }
    return Optional.empty();
  }

  static void delete(StoreHandle log, SessionTopics topics, String name, Control control) {
    log.store().erase(List.of()); // fails if the store can't erase
    if (newest(log.store(), topics.all()).isEmpty()) {
      throw RalphException.notFound("no session " + RalphException.quote(name) + " to delete");
    }
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      control.running().ifPresent(loop -> requireEnded(loop, name));
      List<String> ids = new ArrayList<>();
      Position end = read(log, topics.all(), ids);
      if (ids.isEmpty()) {
        Draft last = Draft.of(topics.control(), Meta.of("action", ACTION));
        Batch batch = Batch.of(log.newBatchId(), List.of(last));
        if (!log.store()
            .append(batch.onlyIf(new Batch.Condition(topics.all(), end)))
            .isConflict()) {
          return;
        }
      } else {
        log.eraseWithNumbers(ids);
      }
    }
    throw RalphException.contended(
        "concurrent writers keep writing to the session "
            + RalphException.quote(name)
            + "; all earlier frames are erased. End the writers and delete the session again");
  }

  private static void requireEnded(Control.RunningLoop loop, String name) {
    if (loop.live()) {
      throw RalphException.contended(
          "a loop runs on the session "
              + RalphException.quote(name)
              + " (process "
              + loop.pid()
              + " on "
              + loop.host()
              + "); stop the loop first: ralph stop");
    }
  }

  /** Collects the ids of the frames to erase. Returns the end position of the read. */
  private static Position read(StoreHandle log, TopicFilter all, List<String> ids) {
    try (FrameCursor cursor = log.store().read(Query.of(all))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (!frame.isErased() && !frame.isErasureNotice() && !isMark(frame) && hasText(frame)) {
          ids.add(frame.id());
        }
      }
      return cursor.position();
    }
  }

  private static boolean hasText(Frame frame) {
    return !frame.meta().equals(Meta.empty()) || !frame.content().isEmpty();
  }
}
