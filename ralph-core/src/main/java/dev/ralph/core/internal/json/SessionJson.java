package dev.ralph.core.internal.json;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Renders the parts of a session as JSON, with one list of members for all readers. */
public final class SessionJson {

  private SessionJson() {}

  /**
   * Renders a task at a time. The page gets the claim of an open task even after the lease has
   * expired, and adds the numbers of other tasks.
   */
  public static Meta task(Task task, JsonProfile profile, Instant now) {
    boolean isPage = profile == JsonProfile.PAGE;
    int length = task.length();
    String content =
        profile == JsonProfile.FULL ? task.content() : task.beginning(profile.characters(length));
    Instant merged = task.mergedAt();
    Meta json =
        named('t', task.number(), task.id(), task.shortId(), profile)
            .with("status", task.status().word())
            .with(isPage ? "text" : "content", content)
            .with("length", profile.length(content, length))
            .with("priority", task.priority())
            .with("depends", profile.unlessPage(task.dependencies()))
            .with("added", time(task.added()))
            .with("key", profile.unlessPage(task.key()))
            .with("iteration", positive(task.iteration()))
            .with("reason", profile.brief(task.reason()))
            .with("touches", task.touches().isEmpty() ? null : task.touches());
    json = isPage ? withOwner(json, task) : json.with("claim", claim(task.claimAt(now)));
    return json.with("branch", profile.brief(task.branch()))
        .with("settled", profile.unlessPage(isSettled(task)))
        .with("merged", isMerged(task))
        .with("merged_at", isPage || merged == null ? null : time(merged))
        .with("commit", profile.brief(task.commit()))
        .with("unchanged", onlyTrue(TaskWords.isUnchanged(task)))
        .with("attempts", isPage ? attempts(task) : positive(task.attempts()))
        .with("attempt_limit", profile.unlessPage(positive(task.attemptLimit())));
  }

  private static Meta withOwner(Meta json, Task task) {
    Claim claim = task.status().isTerminal() ? null : task.claim();
    return claim == null
        ? json
        : json.with("owner", claim.owner()).with("until", time(claim.until()));
  }

  private static @Nullable Meta claim(@Nullable Claim claim) {
    return claim == null
        ? null
        : Meta.of("token", claim.token())
            .with("owner", claim.owner())
            .with("until", time(claim.until()));
  }

  /** Returns whether the branch of a task is merged, or null if the task has no merge. */
  private static @Nullable Boolean isMerged(Task task) {
    if (task.status() == Task.Status.COMPLETED && !task.isSettled()) {
      return false;
    }
    return onlyTrue(task.mergedAt() != null);
  }

  /** Returns whether a completed task is settled, or null for other tasks. */
  private static @Nullable Boolean isSettled(Task task) {
    return task.status() == Task.Status.COMPLETED ? Boolean.valueOf(task.isSettled()) : null;
  }

  private static @Nullable String attempts(Task task) {
    return task.attempts() == 0 ? null : TaskWords.attempts(task);
  }

  /** Renders a note. */
  public static Meta note(Note note, JsonProfile profile) {
    int length = note.length();
    String content =
        profile == JsonProfile.FULL ? note.content() : note.beginning(profile.characters(length));
    return named('n', note.number(), note.id(), note.shortId(), profile)
        .with("type", note.type())
        .with(profile == JsonProfile.PAGE ? "text" : "content", content)
        .with("length", profile.length(content, length))
        .with("iteration", positive(note.iteration()))
        .with("about", profile.brief(note.about()))
        .with("added", time(note.added()));
  }

  /** Renders a message. */
  public static Meta message(Message message, JsonProfile profile) {
    int length = message.length();
    String text =
        profile == JsonProfile.FULL
            ? message.text()
            : message.beginning(profile.characters(length));
    return named('m', message.number(), message.id(), message.shortId(), profile)
        .with("text", text)
        .with("length", profile.length(text, length))
        .with("timestamp", profile.unlessPage(message.timestamp()))
        .with("sent", time(message.sent()))
        .with("by", profile.brief(message.by()))
        .with("mail", onlyTrue(message.isFromBox()))
        .with("headline", profile.brief(message.headline()))
        .with("agent", positive(message.agent()))
        .with(
            "read",
            profile == JsonProfile.PAGE
                ? onlyTrue(message.isRead())
                : Boolean.valueOf(message.isRead()))
        .with("read_by", positive(message.readBy()))
        .with("expired", onlyTrue(message.isExpired()))
        .with("follow_up", onlyTrue(message.isFollowUp()))
        .with("question", profile.unlessPage(message.question()));
  }

  /** Renders a question with its answer. */
  public static Meta question(Question question, JsonProfile profile) {
    boolean isFull = profile == JsonProfile.FULL;
    boolean isPage = profile == JsonProfile.PAGE;
    int length = question.length();
    String text = isFull ? question.text() : question.beginning(profile.characters(length));
    int answerLength = question.answerLength();
    String answer =
        isFull ? question.answer() : question.answerBeginning(profile.characters(answerLength));
    Instant answered = question.answered();
    return named('q', question.number(), question.id(), question.shortId(), profile)
        .with("text", text)
        .with("length", profile.length(text, length))
        .with("asked", time(question.asked()))
        .with("by", profile.brief(question.by()))
        .with("iteration", positive(question.iteration()))
        .with("open", profile.unlessPage(question.isOpen()))
        .with("answer", answer)
        .with(
            "answer_length", isPage || answer == null ? null : profile.length(answer, answerLength))
        .with("answered_by", profile.brief(question.answeredBy()))
        .with("answered", !isPage || answered == null ? null : time(answered));
  }

  /**
   * Renders an iteration.
   *
   * @param status the status for the reader; a running iteration of an ended loop is interrupted
   * @param task the name of the iteration's task for the reader, or null for none
   */
  public static Meta iteration(
      Iteration iteration, Iteration.Status status, @Nullable Object task, JsonProfile profile) {
    Duration duration = iteration.duration();
    boolean isBuild = iteration.role() == Iteration.Role.BUILD;
    return Meta.of("n", iteration.number())
        .with("agent", positive(iteration.agent()))
        .with("task", task)
        .with("role", isBuild ? null : iteration.role().word())
        .with("status", status.word())
        .with("started", time(iteration.started()))
        .with(
            profile == JsonProfile.PAGE ? "ms" : "duration_ms",
            duration == null ? null : duration.toMillis())
        .with("summary", profile.brief(iteration.summary()))
        .with("returned", profile.brief(iteration.returned()))
        .with("usage", usage(iteration.usage()));
  }

  /** Renders a usage, or returns null if no usage was reported. */
  public static @Nullable Meta usage(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }

  /** Renders a time in UTC with milliseconds. */
  public static String time(Instant time) {
    return Timestamp.withMillis(time);
  }

  /** Returns the beginning of an object: its references, or only the number for the page. */
  private static Meta named(
      char letter, int number, String id, String shortId, JsonProfile profile) {
    return profile == JsonProfile.PAGE
        ? Meta.of("n", number)
        : Meta.of("ref", letter + Integer.toString(number))
            .with("id", id)
            .with("short_id", shortId);
  }

  private static @Nullable Integer positive(int number) {
    return number > 0 ? number : null;
  }

  private static @Nullable Boolean onlyTrue(boolean value) {
    return value ? Boolean.TRUE : null;
  }
}
