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
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Renders windows of a session's lists and search results. Not thread-safe. */
final class PageLists {

  private static final int LARGEST_WINDOW = 200;
  private static final int MOST_FOUND = 40;

  private final Session session;
  private final Instant now;

  PageLists(Session session) {
    this.session = session;
    this.now = session.clock().instant();
  }

  /** Returns a window of the selected tasks. */
  Meta tasks(TaskFilter filter, int from, int limit) {
    TaskList all = session.tasks().list();
    List<Task> of = filter.of(all, now);
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

  /** Returns an iteration, or null if the number is unknown. */
  @Nullable Meta iteration(int number) {
    for (Iteration each : session.iterations().list()) {
      if (each.number() == number) {
        return new SessionParts(session).shown(List.of(each), null).get(0);
      }
    }
    return null;
  }

  /**
   * Returns a window of another list, the newest first.
   *
   * @throws RalphException INVALID if the list is unknown
   */
  Meta others(String list, int from, int limit) {
    return switch (list) {
      case "messages" -> newest(session.inbox().history(), from, limit, PageJson::message);
      case "questions" -> newest(session.questions().history(), from, limit, PageJson::question);
      case "notes" -> newest(session.notes().list(), from, limit, PageJson::note);
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

  /** Returns the whole text of an item. */
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

  /**
   * Returns the tasks, messages, questions, notes and iterations whose number or beginning contains
   * a text, with the total number of hits. The newest hits of each kind are first.
   *
   * @param from the number of hits of each kind to skip
   */
  Meta found(String words, int from) {
    String sought = words.toLowerCase(Locale.ROOT).strip();
    List<Meta> found = new ArrayList<>();
    int total = 0;
    if (!sought.isEmpty()) {
      TaskList tasks = session.tasks().list();
      List<Task> hits = new ArrayList<>();
      total += hits(tasks, sought, from, PageLists::text, hits);
      for (Meta task : shown(tasks, hits)) {
        found.add(Meta.of("kind", "task").with("item", task));
      }
      Search search = new Search(sought, from, found);
      total += search.add("message", session.inbox().history(), PageLists::text, PageJson::message);
      total +=
          search.add(
              "question", session.questions().history(), PageLists::text, PageJson::question);
      total += search.add("note", session.notes().list(), PageLists::text, PageJson::note);
      total +=
          search.add(
              "iteration",
              session.iterations().list(),
              PageLists::text,
              each -> PageJson.iteration(each, false, null, any -> 0));
    }
    return Meta.of("found", found).with("total", total).with("window", MOST_FOUND);
  }

  /** A search that adds its hits to a list. */
  private record Search(String sought, int from, List<Meta> found) {

    /** Adds a window of the hits, and returns the number of all hits. */
    <T> int add(String kind, List<T> all, Function<T, String> text, Function<T, Meta> form) {
      List<T> hits = new ArrayList<>();
      int count = hits(all, sought, from, text, hits);
      for (T hit : hits) {
        found.add(Meta.of("kind", kind).with("item", form.apply(hit)));
      }
      return count;
    }
  }

  /** Adds a window of the hits, the newest first, and returns the number of all hits. */
  private static <T> int hits(
      List<T> all, String sought, int from, Function<T, String> text, List<T> window) {
    int count = 0;
    for (int i = all.size() - 1; i >= 0; i--) {
      if (text.apply(all.get(i)).toLowerCase(Locale.ROOT).contains(sought)) {
        if (count >= from && window.size() < MOST_FOUND) {
          window.add(all.get(i));
        }
        count++;
      }
    }
    return count;
  }

  /** Returns the searched text of an entry: its reference and its words, without null. */
  private static String text(String ref, @Nullable String... words) {
    StringBuilder text = new StringBuilder(ref);
    for (String word : words) {
      text.append(' ').append(Objects.requireNonNullElse(word, ""));
    }
    return text.toString();
  }

  private static String text(Task task) {
    return text("t" + task.number(), task.beginning(PageJson.BEGINNING));
  }

  private static String text(Message message) {
    return text("m" + message.number(), message.by(), message.beginning(PageJson.BEGINNING));
  }

  private static String text(Question each) {
    String answer = each.answerBeginning(PageJson.BEGINNING);
    return text("q" + each.number(), each.beginning(PageJson.BEGINNING), answer);
  }

  private static String text(Note note) {
    String content = note.beginning(PageJson.BEGINNING);
    return text("n" + note.number(), String.valueOf(note.type()), note.about(), content);
  }

  private static String text(Iteration iteration) {
    return text("#" + iteration.number(), iteration.summary());
  }
}
