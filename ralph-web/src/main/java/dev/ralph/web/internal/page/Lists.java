package dev.ralph.web.internal.page;

import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Windows of a session's lists, and what is found in them. For one thread. */
final class Lists {

  private static final int LARGEST_WINDOW = 200;
  private static final int MOST_FOUND = 40;

  private final Session session;
  private final Instant now;

  Lists(Session session) {
    this.session = session;
    this.now = session.clock().instant();
  }

  /**
   * Returns a window of tasks in the order they were added.
   *
   * @param status a status, {@code ready}, {@code open} or {@code all}
   */
  Meta tasks(String status, int from, int limit) {
    TaskList all = session.tasks().list();
    TaskList of =
        switch (status) {
          case "all" -> all;
          case "open" -> all.open();
          case "ready" -> all.ready(now);
          default -> all.of(Task.Status.of(status));
        };
    return Meta.of("total", of.size()).with("items", shown(all, window(of, from, limit)));
  }

  private List<Meta> shown(TaskList all, List<Task> some) {
    return new SessionParts(session).shown(all, some, now);
  }

  /** Returns a window of the iterations, the newest first. */
  Meta iterations(RecordTally.@Nullable Result record, int from, int limit) {
    List<Iteration> all = session.iterations().list();
    return Meta.of("total", all.size())
        .with(
            "items",
            new SessionParts(session).shown(SessionParts.newest(all, from, most(limit)), record));
  }

  /**
   * Returns a window of another list, the newest first.
   *
   * @throws RalphException INVALID if there is no such list
   */
  Meta others(String list, int from, int limit) {
    return switch (list) {
      case "messages" -> newest(session.inbox().history(), from, limit, Shown::message);
      case "questions" -> newest(session.questions().history(), from, limit, Shown::question);
      case "notes" -> newest(session.notes().list(), from, limit, Shown::note);
      default -> throw RalphException.invalid("no list " + RalphException.quote(list));
    };
  }

  private static <T> Meta newest(List<T> all, int from, int limit, Function<T, Meta> form) {
    return Meta.of("total", all.size())
        .with("items", SessionParts.newest(all, from, most(limit)).stream().map(form).toList());
  }

  private static <T> List<T> window(List<T> all, int from, int limit) {
    int begin = Math.min(from, all.size());
    return all.subList(begin, Math.min(all.size(), begin + most(limit)));
  }

  private static int most(int limit) {
    return Math.min(limit, LARGEST_WINDOW);
  }

  /** Returns a whole text, of the list's item of that number. */
  Meta whole(String list, String ref) {
    return switch (list) {
      case "tasks" -> {
        Task task = session.tasks().get(ref);
        yield Meta.of("text", task.content());
      }
      case "messages" -> Meta.of("text", session.inbox().get(ref).text());
      case "notes" -> Meta.of("text", session.notes().get(ref).content());
      case "questions" -> {
        Question question = session.questions().get(ref);
        yield Meta.of("text", question.text()).with("answer", question.answer());
      }
      default -> throw RalphException.invalid("no list " + RalphException.quote(list));
    };
  }

  /** Returns what has that text at its beginning or in it, the newest first. */
  Meta found(String words) {
    String sought = words.toLowerCase(Locale.ROOT).strip();
    List<Meta> found = new ArrayList<>();
    if (!sought.isEmpty()) {
      TaskList tasks = session.tasks().list();
      List<Task> hits = hits(tasks, sought, task -> "t" + task.number() + " " + text(task));
      for (Meta task : shown(tasks, hits)) {
        found.add(Meta.of("kind", "task").with("item", task));
      }
      add(found, "message", session.inbox().history(), sought, Lists::text, Shown::message);
      add(found, "question", session.questions().history(), sought, Lists::text, Shown::question);
      add(found, "note", session.notes().list(), sought, Lists::text, Shown::note);
      add(
          found,
          "iteration",
          session.iterations().list(),
          sought,
          Lists::text,
          each -> Shown.iteration(each, false, null, any -> 0));
    }
    return Meta.of("found", found);
  }

  private static <T> void add(
      List<Meta> found,
      String kind,
      List<T> all,
      String sought,
      Function<T, String> text,
      Function<T, Meta> form) {
    for (T hit : hits(all, sought, text)) {
      found.add(Meta.of("kind", kind).with("item", form.apply(hit)));
    }
  }

  private static <T> List<T> hits(List<T> all, String sought, Function<T, String> text) {
    List<T> hits = new ArrayList<>();
    for (int i = all.size() - 1; i >= 0 && hits.size() < MOST_FOUND; i--) {
      if (text.apply(all.get(i)).toLowerCase(Locale.ROOT).contains(sought)) {
        hits.add(all.get(i));
      }
    }
    return hits;
  }

  private static String text(Task task) {
    return task.beginning(Shown.BEGINNING);
  }

  private static String text(Message message) {
    return "m" + message.number() + " " + message.by() + " " + message.beginning(Shown.BEGINNING);
  }

  private static String text(Question question) {
    return "q"
        + question.number()
        + " "
        + question.beginning(Shown.BEGINNING)
        + " "
        + question.answerBeginning(Shown.BEGINNING);
  }

  private static String text(Note note) {
    return "n"
        + note.number()
        + " "
        + note.type()
        + " "
        + note.about()
        + " "
        + note.beginning(Shown.BEGINNING);
  }

  private static String text(Iteration iteration) {
    return "#" + iteration.number() + " " + iteration.summary();
  }
}
