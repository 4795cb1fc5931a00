package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Instant;
import java.time.ZoneId;

/** Renders orders for a loop. */
public final class ControlForm {

  private ControlForm() {}

  /**
   * Returns the start of a session's pause and the command that resumes the session.
   *
   * @param where the options that name the session, each with a space before it
   */
  public static String paused(Session session, FrameLog frames, String where, ZoneId zone) {
    String since = "";
    Topic control = Topic.of("ralph." + session.name() + ".control");
    try (FrameCursor cursor = frames.read(Query.of(TopicFilter.of(control)).backward())) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if ("pause".equals(frame.meta().string("action"))) {
          since = " since " + Times.clock(frame.time(), Instant.now(), zone);
          break;
        }
      }
    } catch (RalphException storeRefused) {
      // The start is optional.
    }
    return "paused" + since + "; continue with: ralph resume" + where;
  }
}
