package dev.ralph.core.internal.session;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates a session with the content of another one in a single batch: frames that lead to the same
 * state, and {@code {action:forked, session, store}} in the control topic. The frames have
 * preassigned ids, because tasks refer to each other by id.
 */
final class SessionFork {

  private final SessionTopics topics;
  private final Scru128 ids;
  private final List<Draft> drafts = new ArrayList<>();

  private SessionFork(SessionTopics topics, Clock clock) {
    this.topics = topics;
    this.ids = new Scru128(clock);
  }

  /**
   * Creates a session.
   *
   * @param store the id of the source's store
   * @param name the name of the new session
   */
  static void begin(Session source, String store, FrameLog target, String name, Clock clock) {
    SessionTopics topics = new SessionTopics(name);
    Optional<Frame> newest = target.last(topics.all());
    if (SessionDeletion.newest(target, topics.all()).isPresent()) {
      throw isThere(name);
    }
    SessionFork fork = new SessionFork(topics, clock);
    fork.drafts.add(
        Draft.of(
            topics.control(),
            Meta.of("action", "forked").with("session", source.name()).with("store", store)));
    fork.addTasks(source.tasks().list());
    source.notes().list().forEach(fork::add);
    source.inbox().unread().forEach(fork::add);
    source.questions().open().forEach(fork::add);
    int most = target.info().maxBatchFrames();
    if (fork.drafts.size() > most) {
      throw RalphException.invalid(
          "can't fork the session "
              + RalphException.quote(source.name())
              + ": a batch of this store has at most "
              + most
              + " frames, but the fork needs "
              + fork.drafts.size());
    }
    Position since = newest.map(Frame::position).orElse(Position.START);
    Batch batch = Batch.of(fork.ids.next(), fork.drafts);
    if (target.append(batch.onlyIf(new Batch.Condition(topics.all(), since))).isConflict()) {
      throw isThere(name);
    }
  }

  private static RalphException isThere(String name) {
    return RalphException.invalid(
        "the session " + RalphException.quote(name) + " already exists; use a different name");
  }

  private String add(Topic topic, Instant time, Meta meta, String content) {
    String id = ids.next();
    drafts.add(Draft.imported(id, time, topic, KeptText.announce(meta, content), content));
    return id;
  }

  private void addTasks(List<Task> tasks) {
    Map<String, String> newIds = new HashMap<>();
    for (Task task : tasks) {
      // Branches are not copied, so tasks started or completed on a branch become remaining.
      boolean stays = task.status() == Task.Status.COMPLETED && !task.isSettled();
      Task.Status status =
          task.status() == Task.Status.IN_PROGRESS || stays ? Task.Status.REMAINING : task.status();
      Meta meta =
          Meta.of("action", "add")
              .with("status", status.word())
              .with("n", task.number())
              .with(
                  "priority", task.priority() == TaskLog.DEFAULT_PRIORITY ? null : task.priority())
              .with("touches", task.touches().isEmpty() ? null : task.touches())
              .with("key", task.key());
      String id = add(topics.task(), task.added(), meta, task.content());
      newIds.put(task.id(), id);
      if (task.reason() != null && status == task.status()) {
        Meta reason = Meta.of("action", "status").with("id", id).with("status", status.word());
        add(topics.task(), task.added(), reason.with("reason", task.reason()), "");
      }
    }
    for (Task task : tasks) {
      for (String dependency : task.dependencies()) {
        Meta meta = Meta.of("action", "depend").with("id", newIds.get(task.id()));
        add(topics.task(), task.added(), meta.with("on", newIds.get(dependency)), "");
      }
    }
  }

  private void add(Note note) {
    Meta meta =
        Meta.of("action", "add")
            .with("type", note.type())
            .with("n", note.number())
            .with("about", note.about());
    add(topics.note(), note.added(), meta, note.content());
  }

  private void add(Message message) {
    Meta meta =
        Meta.of("status", "unread")
            .with("timestamp", message.timestamp())
            .with("n", message.number())
            .with("by", message.by())
            .with("agent", message.agent() == 0 ? null : message.agent())
            .with("follow_up", message.isFollowUp() ? true : null);
    Meta mail = Messages.envelope(message).addTo(meta);
    add(topics.inbox(), message.sent(), mail, message.text());
  }

  private void add(Question question) {
    Meta meta =
        Meta.of("action", "ask")
            .with("n", question.number())
            .with("timestamp", Timestamp.of(question.asked()))
            .with("by", question.by());
    add(topics.question(), question.asked(), meta, question.text());
  }
}
