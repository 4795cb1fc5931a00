package dev.ralph.cli.session;

import dev.ralph.AgentInbox;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What came to a session from others than its agents' tools, to be written to another one at the
 * same place: tasks with their status and dependencies, notes, messages, questions, answers. What
 * was added in the name of an iteration while that ran counts as done by its agent; but a message
 * that the agent's client handed over by itself must not come with a call of a tool again. For one
 * thread at a time.
 */
final class Arrivals {

  /** What the readers of messages are called that tools have. */
  private static final String TOOLS = "agent-";

  /** For longer than a replay takes. */
  private static final Duration LEASE = Duration.ofDays(1);

  /** A frame, and how many iterations had begun before it. */
  private record Arrival(Frame frame, int begun) {}

  private final Session from;
  private final Session to;
  private final Topic scope;
  private final Deque<Arrival> waiting = new ArrayDeque<>();

  Arrivals(FrameLog log, Session from, Session to) {
    this.from = from;
    this.to = to;
    this.scope = Topic.of("ralph." + from.name());
    Topic iteration = scope.child("iteration");
    TopicFilter topics =
        TopicFilter.of(
            iteration,
            scope.child("task"),
            scope.child("note"),
            scope.child("inbox"),
            scope.child("question"));
    int begun = 0;
    boolean running = false;
    try (FrameCursor cursor = log.read(Query.of(topics))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        String action = frame.meta().string("action");
        if (!frame.topic().equals(iteration)) {
          if (!frame.isErased() && isPlayed(frame.meta(), running)) {
            waiting.add(new Arrival(frame, begun));
          }
        } else if ("start".equals(action)) {
          begun++;
          running = true;
        } else if (!"usage".equals(action)) {
          running = false;
        }
      }
    }
  }

  /**
   * Writes the next of what is due.
   *
   * @param begun what came before that many iterations had begun is due
   * @param time and what came in the last of these before that time
   * @return whether there was any
   * @throws dev.ralph.log.RalphException if it does not fit into the session; it is left out then
   */
  boolean writeNext(int begun, Instant time) {
    Arrival next = waiting.peek();
    if (next == null
        || next.begun() > begun
        || next.begun() == begun && !next.frame().time().isBefore(time)) {
      return false;
    }
    waiting.remove();
    write(next.frame(), next.begun());
    return true;
  }

  /**
   * @param running whether an iteration runs
   */
  private static boolean isPlayed(Meta meta, boolean running) {
    return switch (string(meta, "action")) {
      case "deliver" -> running && isClient(meta, "to");
      case "mark_read" -> running && isClient(meta, "by");
      default -> !(running && meta.has("iteration"));
    };
  }

  private static boolean isClient(Meta meta, String as) {
    String reader = string(meta, as);
    return meta.has("iteration") && !reader.isEmpty() && !reader.startsWith(TOOLS);
  }

  private void write(Frame frame, int iteration) {
    Meta meta = frame.meta();
    String action = Objects.requireNonNullElse(meta.string("action"), "send");
    switch (frame.topic().name().substring(scope.name().length() + 1) + " " + action) {
      case "task add" -> add(meta, frame.content());
      case "task status" ->
          to.tasks()
              .status(
                  task(string(meta, "id")),
                  StatusChange.to(Task.Status.of(string(meta, "status")))
                      .because(meta.string("reason")));
      case "task depend" -> to.tasks().depend(task(string(meta, "id")), task(string(meta, "on")));
      case "note add" ->
          to.notes().add(string(meta, "type"), frame.content(), 0, meta.string("about"));
      case "question ask" -> to.questions().ask(frame.content(), meta.string("by"), 0);
      case "question answer" -> {
        String question = "q" + from.questions().get(string(meta, "id")).number();
        to.questions().answer(question, frame.content(), meta.string("by"));
      }
      case "inbox send" -> {
        if (!meta.has("question")) { // else it came with the answer
          to.inbox()
              .send(
                  NewMessage.of(frame.content())
                      .by(meta.string("by"))
                      .key(meta.string("key"))
                      .agent((int) meta.integer("agent").orElse(0))
                      .followUp(meta.isTrue("follow_up")));
        }
      }
      case "inbox deliver" -> to.agentInbox().deliver(by(string(meta, "to"), iteration), LEASE);
      case "inbox mark_read" -> {
        String message = "m" + from.inbox().get(string(meta, "id")).number();
        to.agentInbox()
            .acknowledge(by(string(meta, "by"), iteration), List.of(to.inbox().get(message).id()));
      }
      default -> {
        // Who has what in hand, and what was changed or taken away later.
      }
    }
  }

  private static AgentInbox.Call by(String reader, int iteration) {
    return new AgentInbox.Call(reader, "1", Set.of(), iteration);
  }

  private void add(Meta meta, String content) {
    NewTask task =
        NewTask.of(content)
            .status(Task.Status.of(string(meta, "status")))
            .priority((int) meta.integer("priority").orElse(TaskLog.DEFAULT_PRIORITY))
            .key(meta.string("key"));
    for (String id : meta.strings("depends")) {
      task = task.dependsOn(task(id));
    }
    to.tasks().add(task);
  }

  /** Returns the task of the same number; one of the same batch stands there by its number. */
  private String task(String id) {
    return "t" + (id.startsWith("#") ? id.substring(1) : from.tasks().get(id).number());
  }

  private static String string(Meta meta, String name) {
    return Objects.requireNonNullElse(meta.string(name), "");
  }
}
