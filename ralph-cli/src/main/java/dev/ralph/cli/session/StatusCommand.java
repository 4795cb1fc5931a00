package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.task.TaskForm;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code ralph status}. */
public final class StatusCommand implements Command {

  private static final int MOST_NAMED = 10;
  private static final int MOST_TRIES = 3;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of(
            "show the state of a session: loop, tasks, messages, questions, last iteration")
        .session()
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session session = call.view();
    boolean isPast = call.arguments().has("at");
    List<Long> left = isPast ? List.of() : leftBehind(call.store(), session);
    ChangeCount change =
        isPast ? null : ChangeCount.of(ChangeCount.work(call, call.store(), session));
    OfferedSession offered =
        isPast ? null : SessionOffers.of(call.store().ralph()).find(session.name()).orElse(null);
    call.print(
        call.json()
            ? meta(session)
                .with("change", change == null ? null : change.json())
                .with("offer", offered == null ? null : OfferForm.json(offered))
                .with("left_behind", left.isEmpty() ? null : left)
                .json()
            : text(session, call.style())
                + (change == null ? "" : "\n  change      " + change.inFull())
                + (offered == null ? "" : OfferForm.text(offered))
                + text(left));
  }

  /** Returns the ids of processes left by a killed loop; empty while a loop runs. */
  public static List<Long> leftBehind(StoreAccess store, Session session) {
    boolean crashed = session.control().running().filter(loop -> !loop.live()).isPresent();
    return crashed
        ? ProcessMark.ofLoops(store.frames().info(), session.name()).find().stream()
            .map(ProcessHandle::pid)
            .toList()
        : List.of();
  }

  private static String text(List<Long> left) {
    if (left.isEmpty()) {
      return "";
    }
    String pids = left.stream().map(String::valueOf).collect(Collectors.joining(" "));
    return "\n  left behind  process "
        + pids
        + "; the next ralph build ends "
        + (left.size() == 1 ? "it" : "them")
        + ", or: kill "
        + pids;
  }

  /** Returns the status of a session as a JSON object in a single line. */
  public static String json(Session session) {
    return meta(session).json();
  }

  /** Builds the status again if the session changes meanwhile, so that the parts are consistent. */
  private static Meta meta(Session session) {
    List<String> outstanding = session.control().outstanding();
    Meta meta = meta(session, outstanding);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      List<String> now = session.control().outstanding();
      if (now.equals(outstanding)) {
        break;
      }
      outstanding = now;
      meta = meta(session, outstanding);
    }
    return meta;
  }

  private static Meta meta(Session session, List<String> outstanding) {
    Control control = session.control();
    Control.RunningLoop loop = control.running().orElse(null);
    Control.LoopEnd end = control.lastEnd().orElse(null);
    Meta byStatus = Meta.empty();
    for (Map.Entry<Task.Status, Integer> count : session.tasks().list().counts().entrySet()) {
      byStatus = byStatus.with(count.getKey().word(), count.getValue());
    }
    Iteration last = session.iterations().last().orElse(null);
    boolean cutOff = isCutOff(last, loop);
    List<Task> toMerge = session.tasks().list().toMerge();
    List<AgentAtWork> atWork = AgentAtWork.all(session, loop);
    List<Meta> agents = new ArrayList<>();
    Meta doing = null;
    for (AgentAtWork one : atWork) {
      if (one.at().agent() == 0) {
        doing = one.doing();
      } else {
        agents.add(one.json());
      }
    }
    return Json.of("status")
        .with("session", session.name())
        .with("state", StateWord.of(control, loop))
        .with("paused", control.isPaused())
        .with("stopping", control.isStopping() ? true : null)
        .with("loop", loop(loop, last))
        .with("last_end", end == null ? null : LoopEndForm.json(session, end))
        .with("doing", doing)
        .with("agents", agents.isEmpty() ? null : agents)
        .with("tasks", byStatus)
        .with(
            "to_merge",
            toMerge.isEmpty() ? null : toMerge.stream().map(task -> "t" + task.number()).toList())
        .with("attempts", attemptsJson(session))
        .with("unread", session.inbox().unread().size())
        .with("questions", session.questions().open().size())
        .with("outstanding", outstanding(outstanding))
        .with("last_iteration", last == null ? null : IterationForm.json(last, session, cutOff))
        .with("usage", SessionJson.usage(session.iterations().usage()));
  }

  /** Returns the status of a session as lines of text. */
  public static String text(Session session, Style style) {
    Control control = session.control();
    Control.RunningLoop loop = control.running().orElse(null);
    Iteration last = session.iterations().last().orElse(null);
    Usage usage = session.iterations().usage();
    String detail = LoopEndForm.detail(session);
    return style.heading(session.name())
        + ": "
        + LoopEndForm.state(session)
        + (control.isStopping() ? ", stop requested" : "")
        + where(loop, last)
        + (detail.isEmpty() ? "" : "\n  reason      " + detail)
        + agents(session, loop)
        + "\n  tasks       "
        + counts(session.tasks().list())
        + toMerge(session)
        + attempts(session)
        + "\n  inbox       "
        + inbox(session)
        + "\n  questions   "
        + session.questions().open().size()
        + " open\n  iterations  "
        + (last == null
            ? "none yet"
            : IterationForm.line(last, session, isCutOff(last, loop), style))
        + (IterationForm.isKnown(usage) ? "\n  used        " + usage : "");
  }

  private static String toMerge(Session session) {
    TaskList waiting = session.tasks().list().toMerge();
    return waiting.isEmpty() ? "" : "\n  to merge    " + TaskForm.names(waiting);
  }

  /** Returns the open tasks with failed attempts, including tasks blocked by the attempt limit. */
  private static List<Task> tried(Session session) {
    List<Task> tried = new ArrayList<>();
    for (Task task : session.tasks().list().open()) {
      if (task.attempts() > 0) {
        tried.add(task);
      }
    }
    return tried;
  }

  private static String attempts(Session session) {
    List<Task> tried = tried(session);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < tried.size() && i <= MOST_NAMED; i++) {
      Task task = tried.get(i);
      line.append(i == 0 ? "\n  attempts    " : ", ")
          .append(
              i == MOST_NAMED
                  ? "…"
                  : "t"
                      + task.number()
                      + ": "
                      + (task.isOutOfAttempts() ? "blocked, " : "")
                      + TaskWords.attempts(task));
    }
    return line.toString();
  }

  private static @Nullable List<Meta> attemptsJson(Session session) {
    List<Meta> tried = new ArrayList<>();
    for (Task task : tried(session)) {
      tried.add(
          Meta.of("task", "t" + task.number())
              .with("attempts", task.attempts())
              .with("limit", task.attemptLimit() == 0 ? null : task.attemptLimit())
              .with("blocked", task.isOutOfAttempts() ? true : null));
    }
    return tried.isEmpty() ? null : tried;
  }

  private static String agents(Session session, Control.@Nullable RunningLoop loop) {
    StringBuilder lines = new StringBuilder();
    Instant now = session.clock().instant();
    AgentAtWork before = null;
    for (AgentAtWork agent : AgentAtWork.all(session, loop)) {
      lines
          .append('\n')
          .append(agent.isBelow(before) ? "              " : agent.heading())
          .append(agent.line())
          .append(agent.at().doing().isEmpty() ? "" : agent.time(now));
      before = agent;
    }
    return lines.toString();
  }

  /** Returns the tasks and messages that prevent completion, or null if none do. */
  private static @Nullable List<String> outstanding(List<String> reasons) {
    return reasons.isEmpty() ? null : reasons.stream().map(SafeText::line).toList();
  }

  /** Returns the number and names of unread messages, which prevent completion. */
  private static String inbox(Session session) {
    List<Message> unread = session.inbox().unread();
    StringBuilder line = new StringBuilder();
    line.append(unread.size()).append(" unread");
    for (int i = 0; i < unread.size() && i <= MOST_NAMED; i++) {
      line.append(i == 0 ? ": " : ", ");
      line.append(i == MOST_NAMED ? "…" : "m" + unread.get(i).number());
    }
    return line.toString();
  }

  /** Returns the numbers of tasks by status as text. */
  public static String counts(TaskList tasks) {
    Map<Task.Status, Integer> counts = tasks.counts();
    StringBuilder line = new StringBuilder();
    line.append(counts.remove(Task.Status.COMPLETED)).append(" of ").append(tasks.size());
    line.append(" completed");
    int toMerge = tasks.toMerge().size();
    if (toMerge > 0) {
      line.append(" (").append(toMerge).append(" not merged yet)");
    }
    counts.forEach(
        (status, count) -> {
          if (count > 0) {
            line.append(", ").append(count).append(' ').append(status.word());
          }
        });
    return line.toString();
  }

  /** Returns whether an iteration was cut off with its loop, without a logged end. */
  public static boolean isCutOff(@Nullable Iteration last, Control.@Nullable RunningLoop loop) {
    return last != null
        && last.status() == Iteration.Status.RUNNING
        && (loop == null || !loop.live());
  }

  /** Returns the progress and place of the loop in parentheses, or an empty text without a loop. */
  public static String where(Control.@Nullable RunningLoop loop, @Nullable Iteration last) {
    return loop == null
        ? ""
        : " ("
            + (loop.limit() == 0 ? "" : begun(loop, last) + " of " + loop.limit() + " iterations, ")
            + (loop.agents() == 1 ? "" : loop.agents() + " agents, ")
            + "process "
            + loop.pid()
            + " on "
            + SafeText.line(loop.host())
            + untilWhen(loop)
            + ")";
  }

  private static String untilWhen(Control.RunningLoop loop) {
    Instant until = loop.until();
    return until == null
        ? ""
        : ", until " + Times.local(until).substring(11) + (loop.live() ? " if not renewed" : "");
  }

  private static @Nullable Meta loop(Control.@Nullable RunningLoop loop, @Nullable Iteration last) {
    if (loop == null) {
      return null;
    }
    Instant until = loop.until();
    return Meta.of("host", loop.host())
        .with("pid", loop.pid())
        .with("live", loop.live())
        .with("until", until == null ? null : Times.format(until))
        .with("iterations", loop.first() == 0 ? null : begun(loop, last))
        .with("limit", loop.limit() == 0 ? null : loop.limit())
        .with("agents", loop.agents() == 1 ? null : loop.agents());
  }

  /** Returns the number of iterations begun by the loop. */
  private static int begun(Control.RunningLoop loop, @Nullable Iteration last) {
    return last == null ? 0 : Math.max(0, last.number() - loop.first() + 1);
  }
}
