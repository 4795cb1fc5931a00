package dev.ralph.web.internal.page;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.core.host.OfferedSession;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Renders the entries of a session as JSON objects for the page. Long texts are truncated. */
final class PageJson {

  /** The most characters of a text in a list. A beginning of this length is cheap to read. */
  static final int BEGINNING = 1_500;

  private PageJson() {}

  /**
   * Renders a task.
   *
   * @param number returns the number of the task with an id, or 0 for none
   * @param isReady whether the task is ready
   */
  static Meta task(Task task, ToIntFunction<String> number, boolean isReady) {
    Claim claim = task.status().isTerminal() ? null : task.claim();
    boolean isToLand = task.status() == Task.Status.COMPLETED && !task.isLanded();
    List<Integer> depends = new ArrayList<>();
    for (String id : task.dependencies()) {
      depends.add(number.applyAsInt(id));
    }
    List<Integer> waits = task.awaited().stream().map(Task::number).toList();
    return text(Meta.of("n", task.number()), task.beginning(BEGINNING), task.length())
        .with("status", task.status().word())
        .with("ready", isReady ? true : null)
        .with("priority", task.priority())
        .with("depends", depends.isEmpty() ? null : depends)
        .with("waits", waits.isEmpty() ? null : waits)
        .with("owner", claim == null ? null : claim.owner())
        .with("until", claim == null ? null : time(claim.until()))
        .with("iteration", task.iteration() == 0 ? null : task.iteration())
        .with("touches", task.touches().isEmpty() ? null : task.touches())
        .with("branch", beginning(task.branch()))
        .with("landed", isToLand ? Boolean.FALSE : task.landed() == null ? null : Boolean.TRUE)
        .with("commit", beginning(task.commit()))
        .with("unchanged", TaskWords.isUnchanged(task) ? true : null)
        .with("attempts", task.attempts() == 0 ? null : TaskWords.attempts(task))
        .with("added", time(task.added()))
        .with("reason", beginning(task.reason()));
  }

  static Meta message(Message message) {
    return text(Meta.of("n", message.number()), message.beginning(BEGINNING), message.length())
        .with("by", beginning(message.by()))
        .with("headline", beginning(message.headline()))
        .with("mail", message.isFromBox() ? true : null)
        .with("agent", message.agent() == 0 ? null : message.agent())
        .with("read", message.isRead() ? true : null)
        .with("read_by", message.readBy() == 0 ? null : message.readBy())
        .with("expired", message.isExpired() ? true : null)
        .with("follow_up", message.isFollowUp() ? true : null)
        .with("sent", time(message.sent()));
  }

  static Meta question(Question question) {
    String answer = question.answerBeginning(BEGINNING);
    Instant answered = question.answered();
    return text(Meta.of("n", question.number()), question.beginning(BEGINNING), question.length())
        .with("by", beginning(question.by()))
        .with("iteration", question.iteration() == 0 ? null : question.iteration())
        .with("asked", time(question.asked()))
        .with("answer", answer)
        .with("answered_by", beginning(question.answeredBy()))
        .with("answered", answered == null ? null : time(answered));
  }

  static Meta note(Note note) {
    return text(Meta.of("n", note.number()), note.beginning(BEGINNING), note.length())
        .with("type", note.type())
        .with("about", beginning(note.about()))
        .with("iteration", note.iteration() == 0 ? null : note.iteration())
        .with("added", time(note.added()));
  }

  /** Renders the offer of a session to hosts, with the newest remarks of hosts. */
  static Meta offered(OfferedSession offered) {
    return Meta.of("offer", cut(offered.offer().toString(), BEGINNING))
        .with("since", time(offered.since()))
        .with("ended", beginning(offered.ended()))
        .with(
            "remarks",
            SessionParts.newest(offered.remarks(), 0, SessionParts.WINDOW).stream()
                .map(
                    remark ->
                        Meta.of("time", time(remark.time()))
                            .with("host", beginning(remark.host()))
                            .with("text", beginning(remark.text())))
                .toList());
  }

  /**
   * Renders an iteration.
   *
   * @param isCutOff whether the iteration ended with its loop, without a record of its end
   * @param told the facts from its record, or null if unknown
   * @param number returns the number of the task with an id, or 0 for none
   */
  static Meta iteration(
      Iteration iteration,
      boolean isCutOff,
      @Nullable WorkOrigin told,
      ToIntFunction<String> number) {
    Duration duration = iteration.duration();
    return Meta.of("n", iteration.number())
        .with("status", isCutOff ? "interrupted" : iteration.status().word())
        .with("role", iteration.role() == Iteration.Role.BUILD ? null : iteration.role().word())
        .with("agent", iteration.agent() == 0 ? null : iteration.agent())
        .with("task", taskOf(iteration, number))
        .with("started", time(iteration.started()))
        .with("ms", duration == null ? null : duration.toMillis())
        .with("summary", beginning(iteration.summary()))
        .with("returned", beginning(iteration.returned()))
        .with("usage", usage(iteration.usage()))
        .with("client", told == null ? null : beginning(told.client()))
        .with("model", told == null ? null : beginning(told.model()));
  }

  /** Returns the number of an iteration's task, or null for none. */
  static @Nullable Integer taskOf(Iteration iteration, ToIntFunction<String> number) {
    String task = iteration.task();
    int found = task == null ? 0 : number.applyAsInt(task);
    return found == 0 ? null : found;
  }

  /** Renders a usage, or returns null if no usage was reported. */
  static @Nullable Meta usage(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }

  static String time(Instant time) {
    return time.toString();
  }

  private static Meta text(Meta before, String beginning, int length) {
    Meta with = before.with("text", beginning);
    return length > beginning.length() ? with.with("length", length) : with;
  }

  static @Nullable String beginning(@Nullable String text) {
    return text == null ? null : cut(text, BEGINNING);
  }

  /** Returns a text, or its beginning and an ellipsis. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most)
        + "…";
  }

  /** Renders a text as a JSON string. */
  static String string(String text) {
    String object = Meta.of("t", text).json();
    return object.substring("{\"t\":".length(), object.length() - 1);
  }
}
