package dev.ralph.cli.watch;

import dev.ralph.Iteration;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.cli.inbox.MessageForm;
import dev.ralph.cli.inbox.QuestionForm;
import dev.ralph.cli.session.IterationForm;
import dev.ralph.cli.task.TaskForm;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.ActivityText;
import dev.ralph.log.AmbiguousException;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renders the frames of a session as lines for people. */
final class WatchLines {

  private final Session session;
  private final Style style;

  /**
   * The agent's number by iteration, for iterations of a team that began since the start of this
   * view.
   */
  private final Map<Long, Long> agents = new HashMap<>();

  WatchLines(Session session, Style style) {
    this.session = session;
    this.style = style;
  }

  /** Returns the lines about a frame; empty for frames without interest or of a newer version. */
  List<String> of(Frame frame) {
    String topic = frame.topic().name();
    String kind = topic.substring(topic.lastIndexOf('.') + 1);
    String action = frame.meta().string("action");
    try {
      if (kind.equals("output")) {
        return output(frame);
      }
      String line =
          switch (kind) {
            case "task" -> task(frame, action == null ? "add" : action);
            case "inbox" -> message(frame, action == null ? "add" : action);
            case "question" -> question(frame, action == null ? "" : action);
            case "note" -> note(frame, action == null ? "add" : action);
            case "iteration" -> iteration(frame, action == null ? "" : action);
            case "control" -> control(frame.meta(), action == null ? "" : action);
            case "activity" -> "begin".equals(action) ? activity(frame.meta()) : null;
            default -> null;
          };
      return line == null ? List.of() : List.of(line);
    } catch (NotFoundException | AmbiguousException e) {
      return List.of(); // refers to a missing entry, so the frame has no effect
    } catch (DamagedException e) {
      return List.of(kind + ", not shown: " + SafeText.line(Damage.ofContent(frame, e).toString()));
    }
  }

  private List<String> output(Frame frame) {
    Long agent = agents.get(frame.meta().integer("iteration").orElse(0));
    String mark = agent == null ? "  " : "  " + agent + "| ";
    List<String> lines = new ArrayList<>();
    for (String line : frame.content().split("\n", -1)) {
      lines.add(mark + AgentLines.shown(line));
    }
    return lines;
  }

  private static String id(Frame frame) {
    String id = frame.meta().string("id");
    return id == null ? "" : id;
  }

  private @Nullable String task(Frame frame, String action) {
    if (action.equals("add")) {
      return "task " + TaskForm.line(session.tasks().get(frame.id()), style, Instant.now());
    }
    String what =
        switch (action) {
          case "status" -> String.valueOf(frame.meta().string("status"));
          case "claim" -> "claimed by " + frame.meta().string("owner");
          case "release" -> "released";
          case "landed" -> merged(frame.meta().string("commit"));
          default -> null;
        };
    if (what == null) {
      return null;
    }
    Task task = session.tasks().get(id(frame));
    return "task t"
        + task.number()
        + " "
        + SafeText.line(what)
        + ": "
        + oneLine(task.beginning(WatchPage.MOST_OF_A_TEXT));
  }

  private static String merged(@Nullable String commit) {
    return "merged" + (commit == null ? ", no changes" : " as " + commit);
  }

  private @Nullable String message(Frame frame, String action) {
    return switch (action) {
      case "add" -> "message " + MessageForm.line(session.inbox().get(frame.id()), style);
      case "mark_read" -> "message m" + session.inbox().get(id(frame)).number() + " was read";
      default -> null;
    };
  }

  private @Nullable String question(Frame frame, String action) {
    return switch (action) {
      case "ask" -> asked(session.questions().get(frame.id()));
      case "answer" -> answered(session.questions().get(id(frame)));
      default -> null;
    };
  }

  /** Returns the line about an open question. */
  String asked(Question question) {
    return "question q"
        + question.number()
        + ": "
        + oneLine(question.beginning(WatchPage.MOST_OF_A_TEXT))
        + style.faint(" (" + QuestionForm.command(session, question) + ")");
  }

  private static String answered(Question question) {
    String by = question.answeredBy();
    return "question q"
        + question.number()
        + " answered"
        + (by == null ? "" : " by " + oneLine(by))
        + ": "
        + oneLine(String.valueOf(question.answerBeginning(WatchPage.MOST_OF_A_TEXT)));
  }

  private @Nullable String note(Frame frame, String action) {
    if (!action.equals("add")) {
      return null;
    }
    Note note = session.notes().get(frame.id());
    return "note "
        + SafeText.line(note.type())
        + ": "
        + ListedText.of(note).indented("note show n" + note.number());
  }

  private @Nullable String iteration(Frame frame, String action) {
    long number = frame.meta().integer("n").orElse(0);
    return switch (action) {
      case "start" ->
          style.heading(session.name() + " - Iteration #" + number + agent(frame) + "...");
      case "complete" -> ended(number);
      default -> null;
    };
  }

  /**
   * Returns the agent and the task of a beginning iteration, or an empty text for a single agent.
   */
  private String agent(Frame start) {
    long agent = start.meta().integer("agent").orElse(0);
    String task = start.meta().string("task");
    if (agent > 0) {
      agents.values().remove(agent);
      agents.put(start.meta().integer("n").orElse(0), agent);
    }
    return agent <= 0
        ? ""
        : " of agent " + agent + (task == null ? "" : ", t" + session.tasks().get(task).number());
  }

  private @Nullable String ended(long number) {
    List<Iteration> all = session.iterations().list();
    for (int i = all.size() - 1; i >= 0; i--) {
      Iteration iteration = all.get(i);
      if (iteration.number() == number) {
        Usage usage = iteration.usage();
        return "iteration "
            + IterationForm.line(iteration, session, false, style)
            + (IterationForm.isKnown(usage) ? "\n  used " + usage : "");
      }
    }
    return null;
  }

  /**
   * Returns a line about an order. The begin and the end of a loop appear as the session's state.
   */
  private static @Nullable String control(Meta meta, String action) {
    String reason = meta.string("reason");
    String because = reason == null || reason.isEmpty() ? "" : ": " + oneLine(reason);
    return switch (action) {
      case "stop" -> "stop requested" + because;
      case "loop_end" -> "the loop ended" + because;
      case "session_complete" -> "completion declared";
      case "completion_refused" ->
          "completion refused: " + oneLine(String.join("; ", meta.strings("reasons")));
      default -> null;
    };
  }

  /**
   * Returns a line about the present activity of a loop or an agent, or null if the activity has
   * ended.
   */
  private @Nullable String activity(Meta meta) {
    long agent = meta.integer("agent").orElse(0);
    return session.control().activities().stream()
        .filter(each -> each.agent() == agent)
        .findFirst()
        .map(
            each -> (agent == 0 ? "" : "agent " + agent + ": ") + oneLine(ActivityText.words(each)))
        .orElse(null);
  }

  private static String oneLine(String text) {
    return SafeText.line(text.replace('\n', ' '));
  }
}
