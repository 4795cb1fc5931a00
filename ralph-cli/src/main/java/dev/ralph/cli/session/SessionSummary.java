package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.TopicFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A session in a single line: its state, its progress and its last activity.
 *
 * @param done the number of completed or cancelled tasks
 * @param cancelled the number of cancelled tasks
 * @param unread the number of messages not read by the agent
 * @param questions the number of open questions
 * @param active the time of the newest frame, or null without frames
 */
public record SessionSummary(
    String name,
    String state,
    int done,
    int cancelled,
    int tasks,
    int unread,
    int questions,
    @Nullable Instant active) {

  /** Returns all sessions of a store, the most recently active session first. */
  public static List<SessionSummary> all(StoreAccess store) {
    return all(store, new HashMap<>());
  }

  /**
   * Returns all sessions of a store, the most recently active session first.
   *
   * @param known the sessions of earlier calls, which read only new frames; new sessions are added
   */
  public static List<SessionSummary> all(StoreAccess store, Map<String, Session> known) {
    List<SessionSummary> all = new ArrayList<>();
    for (String name : store.sessions()) {
      all.add(of(store, known.computeIfAbsent(name, store::session)));
    }
    Comparator<SessionSummary> byActivity =
        Comparator.comparing(summary -> summary.active == null ? Instant.MIN : summary.active);
    all.sort(byActivity.reversed().thenComparing(SessionSummary::name));
    return all;
  }

  private static SessionSummary of(StoreAccess store, Session session) {
    TopicFilter frames = TopicFilter.parse("ralph." + session.name() + ".*");
    Control control = session.control();
    TaskList tasks = session.tasks().list();
    return new SessionSummary(
        session.name(),
        StateWord.of(control, control.running().orElse(null)),
        tasks.size() - tasks.open().size(),
        tasks.of(Task.Status.CANCELLED).size(),
        tasks.size(),
        session.inbox().unread().size(),
        session.questions().open().size(),
        store.frames().last(frames).map(Frame::time).orElse(null));
  }

  /** Returns sessions as lines with aligned columns. */
  public static List<String> lines(List<SessionSummary> sessions, Style style, Instant now) {
    List<List<String>> rows = new ArrayList<>();
    for (SessionSummary each : sessions) {
      rows.add(each.cells(now));
    }
    int[] widths = new int[6];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        if (widths[i] > 0) {
          String cell = row.get(i);
          line.append(i == 0 ? style.heading(cell) : cell);
          line.append(" ".repeat(widths[i] - cell.length() + 2));
        }
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private List<String> cells(Instant now) {
    return List.of(
        name,
        state,
        tasks == 0
            ? "no tasks"
            : done
                - cancelled
                + " of "
                + tasks
                + " tasks done"
                + (cancelled == 0 ? "" : ", " + cancelled + " cancelled"),
        unread == 0 ? "" : unread + " unread",
        questions == 0 ? "" : questions + (questions == 1 ? " question" : " questions"),
        active == null ? "" : Times.ago(active, now));
  }

  /** Returns a copy without the time of the last activity, for comparisons. */
  public SessionSummary withoutTime() {
    return new SessionSummary(name, state, done, cancelled, tasks, unread, questions, null);
  }

  /** Returns the session as a JSON object. */
  public Meta json() {
    return Meta.of("session", name)
        .with("state", state)
        .with("tasks_done", done)
        .with("tasks", tasks)
        .with("unread", unread)
        .with("questions", questions)
        .with("last_activity", active == null ? null : Times.format(active));
  }

  /** Returns sessions as a JSON object in a single line: the sorted names, and the details. */
  public static String json(List<SessionSummary> sessions) {
    return Json.of("sessions")
        .with("sessions", sessions.stream().map(SessionSummary::name).sorted().toList())
        .with("details", sessions.stream().map(SessionSummary::json).toList())
        .json();
  }
}
