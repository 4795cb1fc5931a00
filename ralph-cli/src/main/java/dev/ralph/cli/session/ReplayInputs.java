package dev.ralph.cli.session;

import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.core.internal.delivery.AgentInbox;
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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The inputs of a session from sources other than its agents' tools, for a replay into another
 * session at the same place. Inputs are tasks with status and dependencies, notes, messages,
 * questions and answers.
 *
 * <p>An entry added with an iteration while the iteration ran came from its agent and is no input.
 * Messages delivered to the agent's client are inputs, because otherwise a tool call would deliver
 * them again. Not thread-safe.
 */
final class ReplayInputs {

  /** The prefix of message readers that use tools. */
  private static final String TOOLS = "agent-";

  /** A lease longer than any replay. */
  private static final Duration LEASE = Duration.ofDays(1);

  /** A frame, and the number of iterations begun before the frame. */
  private record Arrival(Frame frame, int begun) {}

  private final Session from;
  private final Session to;
  private final Topic scope;
  private final Deque<Arrival> waiting = new ArrayDeque<>();

  /** The iterations, counted from 1, whose agent changed tasks, notes, messages or questions. */
  private final Set<Integer> changedByAgent = new HashSet<>();

  ReplayInputs(FrameLog log, Session from, Session to) {
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
          } else if (running && frame.meta().has("iteration")) {
            changedByAgent.add(begun);
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

  /** Returns whether the agent of an iteration, counted from 1, changed the session. */
  boolean isChangedByAgent(int begun) {
    return changedByAgent.contains(begun);
  }

  /**
   * Writes the next due input.
   *
   * @param begun inputs before the start of this number of iterations are due
   * @param time inputs in the last of these iterations before this time are due too
   * @return whether an input was due
   * @throws dev.ralph.log.RalphException if the session rejects the input, which is then omitted
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
        if (!meta.has("question")) { // otherwise part of the answer
          to.inbox()
              .send(
                  NewMessage.of(frame.content())
                      .by(meta.string("by"))
                      .key(meta.string("key"))
                      .agent((int) meta.integer("agent").orElse(0))
                      .followUp(meta.isTrue("follow_up")));
        }
      }
      case "inbox deliver" -> AgentInbox.of(to).deliver(by(string(meta, "to"), iteration), LEASE);
      case "inbox mark_read" -> {
        String message = "m" + from.inbox().get(string(meta, "id")).number();
        AgentInbox.of(to)
            .acknowledge(by(string(meta, "by"), iteration), List.of(to.inbox().get(message).id()));
      }
      default -> {
        // Claims, and later edits and removals, are not replayed.
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

  /** Returns the task with the same number. An id of the same batch already contains the number. */
  private String task(String id) {
    return "t" + (id.startsWith("#") ? id.substring(1) : from.tasks().get(id).number());
  }

  private static String string(Meta meta, String name) {
    return Objects.requireNonNullElse(meta.string(name), "");
  }
}
