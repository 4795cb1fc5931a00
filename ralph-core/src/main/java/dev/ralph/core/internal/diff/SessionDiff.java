package dev.ralph.core.internal.diff;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two moments of a session, or between a session and its fork.
 *
 * <pre>{@code
 * SessionDiff diff = SessionDiff.between(session.at(yesterday), session);
 * diff.tasks().forEach(System.out::println);
 * }</pre>
 *
 * <p>Objects are matched by number: {@code t3} of one moment is compared with {@code t3} of the
 * other. A fork has new ids, times and iterations. Therefore objects are compared by text and
 * status.
 */
public final class SessionDiff {

  private final List<Change<Task>> tasks;
  private final List<Change<Note>> notes;
  private final List<Change<Message>> messages;
  private final List<Change<Question>> questions;

  /** The kind of a difference. */
  public enum Kind {
    /** The object exists at the second moment only. */
    ADDED,
    /** The object exists at the first moment only. */
    REMOVED,
    /** The object exists at both moments and differs. */
    CHANGED
  }

  /**
   * A difference.
   *
   * @param before the object at the first moment, or null if it did not exist
   * @param after the object at the second moment, or null if it did not exist
   */
  public record Change<T>(@Nullable T before, @Nullable T after) {

    /** Returns the kind of the difference. */
    public Kind kind() {
      return before == null ? Kind.ADDED : after == null ? Kind.REMOVED : Kind.CHANGED;
    }
  }

  private SessionDiff(
      List<Change<Task>> tasks,
      List<Change<Note>> notes,
      List<Change<Message>> messages,
      List<Change<Question>> questions) {
    this.tasks = tasks;
    this.notes = notes;
    this.messages = messages;
    this.questions = questions;
  }

  /**
   * Compares two moments. This method reads both, so later changes of the log do not change the
   * result.
   *
   * @param before the first moment
   * @param after the second moment, which may be earlier
   */
  public static SessionDiff between(Session before, Session after) {
    List<Task> tasksBefore = before.tasks().list();
    List<Task> tasksAfter = after.tasks().list();
    Map<String, Integer> numbers = new HashMap<>();
    tasksBefore.forEach(task -> numbers.put(task.id(), task.number()));
    tasksAfter.forEach(task -> numbers.put(task.id(), task.number()));
    return new SessionDiff(
        changes(tasksBefore, tasksAfter, Task::number, Task::id, task -> shown(task, numbers)),
        changes(
            before.notes().list(),
            after.notes().list(),
            Note::number,
            Note::id,
            SessionDiff::shown),
        changes(
            before.inbox().history(),
            after.inbox().history(),
            Message::number,
            Message::id,
            SessionDiff::shown),
        changes(
            before.questions().history(),
            after.questions().history(),
            Question::number,
            Question::id,
            SessionDiff::shown));
  }

  private static <T> List<Change<T>> changes(
      List<T> before,
      List<T> after,
      Function<T, Integer> number,
      Function<T, String> id,
      Function<T, List<?>> shown) {
    Map<Integer, T> left = new LinkedHashMap<>();
    before.forEach(each -> left.put(number.apply(each), each));
    List<Change<T>> changes = new ArrayList<>();
    for (T now : after) {
      T then = left.remove(number.apply(now));
      if (then == null || !isSame(then, now, id, shown)) {
        changes.add(new Change<>(then, now));
      }
    }
    left.values().forEach(gone -> changes.add(new Change<>(gone, null)));
    return List.copyOf(changes);
  }

  private static <T> boolean isSame(
      T then, T now, Function<T, String> id, Function<T, List<?>> shown) {
    return id.apply(then).equals(id.apply(now))
        ? then.equals(now)
        : shown.apply(then).equals(shown.apply(now));
  }

  // ---- the parts that a fork copies

  private static List<?> shown(Task task, Map<String, Integer> numbers) {
    Set<Integer> dependencies = new TreeSet<>();
    task.dependencies().forEach(id -> dependencies.add(numbers.getOrDefault(id, 0)));
    return Arrays.asList(
        task.content(), task.status(), task.priority(), dependencies, task.key(), task.reason());
  }

  private static List<?> shown(Note note) {
    return Arrays.asList(note.type(), note.content(), note.about());
  }

  private static List<?> shown(Message message) {
    return Arrays.asList(
        message.text(),
        message.by(),
        message.headline(),
        message.isRead(),
        message.isExpired(),
        message.isFollowUp());
  }

  private static List<?> shown(Question question) {
    return Arrays.asList(question.text(), question.by(), question.answer());
  }

  /** Returns the differing tasks, in the order of the second moment; removed tasks last. */
  public List<Change<Task>> tasks() {
    return tasks;
  }

  /** Returns the differing notes. */
  public List<Change<Note>> notes() {
    return notes;
  }

  /** Returns the differing messages, for example messages marked as read in between. */
  public List<Change<Message>> messages() {
    return messages;
  }

  /** Returns the differing questions, for example questions answered in between. */
  public List<Change<Question>> questions() {
    return questions;
  }

  /** Returns whether no differences exist. */
  public boolean isEmpty() {
    return tasks.isEmpty() && notes.isEmpty() && messages.isEmpty() && questions.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof SessionDiff)) {
      return false;
    }
    SessionDiff that = (SessionDiff) other;
    return tasks.equals(that.tasks)
        && notes.equals(that.notes)
        && messages.equals(that.messages)
        && questions.equals(that.questions);
  }

  @Override
  public int hashCode() {
    return Objects.hash(tasks, notes, messages, questions);
  }

  @Override
  public String toString() {
    return "tasks "
        + tasks
        + ", notes "
        + notes
        + ", messages "
        + messages
        + ", questions "
        + questions;
  }
}
