package dev.ralph.web.internal.page;

import dev.ralph.Iteration;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.diff.SessionDiff;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Renders the changes of a session since the last visit of a person. */
final class Changes {

  private static final int MOST = 40;

  private Changes() {}

  static Meta since(Session session, Instant time) {
    SessionDiff diff = SessionDiff.between(session.at(time), session);
    List<Meta> changes = new ArrayList<>();
    for (SessionDiff.Change<Task> change : diff.tasks()) {
      Task after = change.after();
      if (after != null) {
        String what = change.before() == null ? "added" : after.status().word();
        changes.add(line("t" + after.number(), what, after.beginning(PageJson.BEGINNING)));
      }
    }
    for (SessionDiff.Change<Question> change : diff.questions()) {
      Question after = change.after();
      if (after != null) {
        String what = after.isOpen() ? "asked" : "answered";
        changes.add(line("q" + after.number(), what, after.beginning(PageJson.BEGINNING)));
      }
    }
    diff.messages()
        .forEach(
            change -> {
              if (change.after() != null) {
                changes.add(
                    line(
                        "m" + change.after().number(),
                        change.before() == null ? "sent" : "read",
                        change.after().beginning(PageJson.BEGINNING)));
              }
            });
    diff.notes()
        .forEach(
            change -> {
              if (change.after() != null && change.before() == null) {
                changes.add(
                    line(
                        "n" + change.after().number(),
                        change.after().type(),
                        change.after().beginning(PageJson.BEGINNING)));
              }
            });
    int iterations = 0;
    for (Iteration each : session.iterations().list()) {
      iterations += each.started().isAfter(time) ? 1 : 0;
    }
    return Meta.of("total", changes.size())
        .with("iterations", iterations)
        .with("items", changes.subList(0, Math.min(changes.size(), MOST)));
  }

  private static Meta line(String ref, String what, String text) {
    return Meta.of("ref", ref).with("what", what).with("text", text);
  }
}
