package dev.ralph.cli.watch;

import dev.ralph.Claim;
import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.TaskLog;
import dev.ralph.Usage;
import dev.ralph.cli.inbox.QuestionForm;
import dev.ralph.cli.session.AgentAtWork;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.cli.session.IterationForm;
import dev.ralph.cli.session.LoopEndForm;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.task.TaskForm;
import dev.ralph.cli.terminal.Screen;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.TextWidth;
import dev.ralph.core.internal.text.TaskOrder;
import dev.ralph.core.internal.text.TaskWords;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A page about a session with a given size. The most important rows come first, so that a short
 * page contains them; the agent's last lines follow below. Immutable.
 */
final class WatchPage {

  private static final String INDENT = "              ";
  private static final int ROWS_FOR_A_FOOTER = 12;

  /** The number of rows of a page without a limit. */
  private static final int ALL = Integer.MAX_VALUE;

  /** The maximum length of a text in characters, more than a row has. */
  static final int MOST_OF_A_TEXT = 1_500;

  /** The minimum number of rows below the top for lists. */
  private static final int ROWS_FOR_LISTS = 6;

  private final Style style;
  private final Screen.Size size;
  private final Instant now;
  private final List<String> rows = new ArrayList<>();
  private Row last;

  private WatchPage(Screen.Size size, Style style, Instant now) {
    this.size = size;
    this.now = now;
    this.style = style;
    this.last = new Row();
  }

  /**
   * Returns the rows of the page, cut to its size.
   *
   * @param change the change of the session, or null
   */
  static List<String> of(
      Session session,
      @Nullable ChangeCount change,
      AgentLines agent,
      Instant now,
      Screen.Size size,
      Style style) {
    WatchPage page = new WatchPage(size, style, now);
    page.add(session, change, agent, false);
    return page.rows.subList(0, Math.min(page.rows.size(), size.rows()));
  }

  /** Returns all rows of the session, cut to a width. */
  static List<String> whole(
      Session session,
      @Nullable ChangeCount change,
      AgentLines agent,
      Instant now,
      int columns,
      Style style) {
    WatchPage page = new WatchPage(new Screen.Size(ALL, columns), style, now);
    page.add(session, change, agent, true);
    return page.rows;
  }

  private void add(Session session, @Nullable ChangeCount change, AgentLines agent, boolean whole) {
    Control control = session.control();
    Control.RunningLoop loop = control.running().orElse(null);
    TaskList tasks = session.tasks().list();
    List<Message> unread = session.inbox().unread();
    List<Question> questions = session.questions().open();
    List<Iteration> iterations = session.iterations().list();
    Usage usage = session.iterations().usage();
    String asked = "  questions   " + questions.size() + " open, to answer:";
    String command = questions.isEmpty() ? "" : QuestionForm.command(session, questions.get(0));
    boolean fitsRow = TextWidth.of(asked + " " + command) <= size.columns();
    List<AgentAtWork> agents = AgentAtWork.all(session, loop);
    int top =
        4
            + agents.size()
            + (IterationForm.isKnown(usage) ? 1 : 0)
            + (change == null ? 0 : 1)
            + (questions.isEmpty() ? 0 : fitsRow ? 1 : 2);
    int footer = !whole && size.rows() >= ROWS_FOR_A_FOOTER ? 1 : 0;
    int left = Math.max(0, size.rows() - top - footer);
    int items =
        questions.size() + tasks.size() + unread.size() + Math.max(0, iterations.size() - 1);
    int said = agent.last(left).size();
    boolean fits = whole || items + 1 + said <= left;
    int lists = fits ? ALL : left < ROWS_FOR_LISTS ? 0 : left;
    // The lists leave rows to the agent's lines.
    int share = lists == 0 || said == 0 ? lists / 6 : Math.max(1, lists / 9);
    int past = Math.max(0, iterations.size() - 1);
    int others =
        List.of(questions.size(), unread.size(), past).stream()
            .mapToInt(count -> Math.min(count, share))
            .sum();
    // Tasks get the rows that the agent's lines leave empty.
    int forTasks = Math.max(lists / 3, lists == 0 ? 0 : left - others - (said == 0 ? 0 : said + 1));

    row(session.name(), style::heading)
        .add(": ")
        .add(LoopEndForm.state(session))
        .add(control.isStopping() ? ", stop requested" : "")
        .add(StatusCommand.where(loop, session.iterations().last().orElse(null)), style::faint)
        .end();
    if (!questions.isEmpty()) {
      // first, because a loop may wait for the answer alone
      row(asked).add(fitsRow ? " " + command : "").end();
      if (!fitsRow) {
        row(command).end(); // unabridged if possible, because a person has to type the command
      }
      list(questions, share, this::question);
    }
    if (IterationForm.isKnown(usage)) {
      row("  used        " + usage).end();
    }
    AgentAtWork before = null;
    for (AgentAtWork one : agents) {
      row(one.isBelow(before) ? INDENT : one.heading())
          .add(one.line())
          .add(one.time(now), style::faint)
          .end();
      before = one;
    }
    if (change != null) {
      row("  change      " + change.inFull()).end();
    }
    row("  tasks       " + StatusCommand.counts(tasks)).end();
    // On a short page only the counts show completed and cancelled tasks.
    int listed = fits ? tasks.size() : tasks.open().size() + tasks.toMerge().size();
    list(TaskOrder.of(tasks, Math.min(forTasks, listed), now), listed, forTasks, this::task);
    row("  inbox       " + unread.size() + " unread").end();
    list(unread, share, this::message);
    Iteration last = iterations.isEmpty() ? null : iterations.get(iterations.size() - 1);
    if (last == null) {
      row("  iterations  none yet").end();
    } else {
      boolean runs = last.status() == Iteration.Status.RUNNING && loop != null && loop.live();
      row("  iterations  ");
      iteration(last, StatusCommand.isCutOff(last, loop), elapsed(last, now, runs))
          .add(total(iterations, now, runs))
          .end();
      List<Iteration> older = new ArrayList<>(iterations.subList(0, past));
      older.sort(Comparator.comparingInt(Iteration::number).reversed());
      boolean cutOff = loop == null || !loop.live();
      list(older, share, iteration -> past(iteration, cutOff));
    }
    int room = size.rows() - footer - rows.size();
    List<String> lines = agent.last(Math.max(0, room > 2 ? room - 1 : room));
    if (room > 2 && !lines.isEmpty()) {
      row("").end();
    }
    for (String line : lines) {
      row(line).end();
    }
    if (footer > 0) {
      while (rows.size() < size.rows() - 1) {
        rows.add("");
      }
      row(
              "q ends the view; arrow keys scroll; m(essage) a(nswer) t(ask) s(top); ? all keys",
              style::faint)
          .end();
    }
  }

  // ---- lists

  private interface Item<T> {
    void row(T item);
  }

  private <T> void list(List<T> items, int most, Item<T> form) {
    list(items, items.size(), most, form);
  }

  /**
   * @param first the first items: all items, or as many as fit
   */
  private <T> void list(List<T> first, int all, int most, Item<T> form) {
    if (most <= 0) {
      return;
    }
    int shown = all <= most ? all : most - 1;
    for (T item : first.subList(0, shown)) {
      form.row(item);
    }
    if (shown < all) {
      row(INDENT + (all - shown) + " more", style::faint).end();
    }
  }

  private void task(Task task) {
    Claim claim = task.claimAt(now);
    String merge = TaskForm.mergeState(task);
    List<Task> awaited = task.awaited();
    row(INDENT + "t" + task.number() + " ")
        .add(task.status().word(), text -> style.status(task.status(), text))
        .add(
            task.priority() == TaskLog.DEFAULT_PRIORITY
                ? ""
                : " (priority " + task.priority() + ")")
        .add(awaited.isEmpty() ? "" : " (waits for " + TaskForm.names(awaited) + ")", style::faint)
        .add(claim == null ? "" : " by " + oneLine(claim.owner()), style::faint)
        .add(merge.isEmpty() ? "" : " " + merge, style::faint)
        .add(task.attempts() == 0 ? "" : " " + TaskWords.attempts(task), style::faint)
        .add(" " + oneLine(task.beginning(MOST_OF_A_TEXT)))
        .end();
  }

  private void message(Message message) {
    String by = message.by();
    String headline = message.headline();
    row(INDENT + "m" + message.number() + " ")
        .add(
            by == null ? "" : (message.isFromBox() ? "mail from " : "") + oneLine(by) + ": ",
            style::faint)
        .add(headline == null ? "" : oneLine(headline) + ": ")
        .add(oneLine(message.beginning(MOST_OF_A_TEXT)))
        .end();
  }

  private void question(Question question) {
    row(INDENT + "q" + question.number() + " " + oneLine(question.beginning(MOST_OF_A_TEXT))).end();
  }

  /**
   * @param cutOff whether an iteration without an end was cut off with its loop
   */
  private void past(Iteration iteration, boolean cutOff) {
    String summary = iteration.summary();
    Duration duration = iteration.duration();
    row(INDENT);
    iteration(iteration, cutOff, duration == null ? "" : " " + Durations.format(duration))
        .add(summary == null ? "" : "  " + oneLine(summary), style::faint)
        .end();
  }

  private Row iteration(Iteration iteration, boolean cutOff, String time) {
    Iteration.Status status = IterationForm.status(iteration, cutOff);
    return last.add("#" + iteration.number() + " ")
        .add(
            status.word(),
            switch (status) {
              case SUCCESS -> style::good;
              case FAILURE, TIMEOUT, INTERRUPTED -> style::bad;
              case RUNNING, RATE_LIMITED -> UnaryOperator.identity();
            })
        .add(IterationForm.refused(iteration), style::bad)
        .add(time);
  }

  private static String elapsed(Iteration last, Instant now, boolean runs) {
    Duration duration = last.duration();
    if (duration != null) {
      return " " + Durations.format(duration);
    }
    return runs ? " " + Durations.seconds(Duration.between(last.started(), now)) : "";
  }

  private static String total(List<Iteration> iterations, Instant now, boolean runs) {
    Duration total = Duration.ZERO;
    for (Iteration each : iterations) {
      Duration duration = each.duration();
      total = duration == null ? total : total.plus(duration);
    }
    if (runs) {
      total = total.plus(Duration.between(iterations.get(iterations.size() - 1).started(), now));
    }
    return ", in all " + Durations.seconds(total);
  }

  private static String oneLine(String text) {
    return SafeText.line(text.replace("\r\n", " ").replace('\n', ' ').replace('\t', ' '));
  }

  // ---- a row

  private Row row(String text) {
    return row(text, UnaryOperator.identity());
  }

  private Row row(String text, UnaryOperator<String> look) {
    last = new Row();
    return last.add(text, look);
  }

  /** Text cut at the page width. Colour codes do not count. */
  private final class Row {

    private final StringBuilder text = new StringBuilder();
    private int left = size.columns();

    Row add(String more) {
      return add(more, UnaryOperator.identity());
    }

    Row add(String more, UnaryOperator<String> look) {
      String cut = TextWidth.cut(more, left);
      if (!cut.isEmpty()) {
        text.append(look.apply(cut));
      }
      // A cut ends the row, even if a wide character leaves a column free.
      left = cut.equals(more) ? left - TextWidth.of(cut) : 0;
      return this;
    }

    void end() {
      rows.add(text.toString());
    }
  }
}
