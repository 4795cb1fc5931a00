package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An immutable view of a task at one moment. */
public interface Task {

  /** The status of a task. */
  enum Status {
    /** Not begun. */
    REMAINING("remaining"),
    /** Begun. */
    IN_PROGRESS("in_progress"),
    /** Waits for an external event. */
    BLOCKED("blocked"),
    /** Done. */
    COMPLETED("completed"),
    /** Given up. */
    CANCELLED("cancelled");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** Returns the word of the status in frames and commands. */
    @JsonValue
    public String word() {
      return word;
    }

    /** Returns whether the status is completed or cancelled. */
    public boolean isTerminal() {
      return this == COMPLETED || this == CANCELLED;
    }

    /**
     * Returns the status of a word.
     *
     * @throws RalphException INVALID if the word is unknown; the message lists the known words
     */
    public static Status of(String word) {
      for (Status status : values()) {
        if (status.word.equals(word)) {
          return status;
        }
      }
      throw RalphException.invalid(
          "unknown status "
              + RalphException.quote(word)
              + "; use remaining, in_progress, blocked, completed or cancelled");
    }
  }

  /** Returns the id of the frame that added the task. */
  String id();

  /** Returns the shortest unique abbreviation of the id, at least 8 characters. */
  String shortId();

  /** Returns the task's number in its session, from 1, as in the reference {@code t12}. */
  int number();

  /**
   * Returns the whole content: the work to do. A text of more than 256 characters is read from the
   * store on each call, so keep the result; {@link #beginning} is cheaper. Empty if the frame was
   * erased.
   *
   * @throws RalphException DAMAGED if the text is damaged, IO if reading fails, CLOSED if the store
   *     is closed
   */
  String content();

  /**
   * Returns the beginning of the content, or the whole content if it is shorter. Cheap up to 1,500
   * characters, independent of the length of the content. If the rest is damaged, the result may be
   * shorter, and {@link Ralph#damage()} lists the damage.
   *
   * @param characters the largest number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if reading fails, CLOSED if the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(content(), characters);
  }

  /** Returns the length of the content in {@code char}s, without reading the text. */
  default int length() {
    return content().length();
  }

  /** Returns the status. */
  Status status();

  /** Returns the priority, 0 (first) to 4 (last). */
  int priority();

  /**
   * Returns patterns of the files that the task changes: see {@link NewTask#touches}. Empty if
   * unknown.
   */
  List<String> touches();

  /**
   * Returns the ids of the dependencies: tasks that must be {@linkplain #isSettled settled} before
   * this task can begin.
   */
  List<String> dependencies();

  /**
   * Returns the dependencies that are neither {@linkplain #isSettled settled} nor cancelled. Empty
   * if this task is completed or cancelled.
   */
  List<Task> awaited();

  /** Returns the time at which the task was added. */
  Instant added();

  /** Returns the iteration of the last change of the status, or 0 if unknown. */
  int iteration();

  /** Returns the newest claim, expired or not, or null if the task was never claimed. */
  @Nullable Claim claim();

  /**
   * Returns the live claim at a time, or null. Completed and cancelled tasks have no live claim.
   */
  default @Nullable Claim claimAt(Instant time) {
    Claim newest = claim();
    return newest != null && newest.isLive(time) && !status().isTerminal() ? newest : null;
  }

  /**
   * Returns the Git branch of the newest claim, if several agents work at once. The branch is kept
   * when the task is returned, for the agent that continues the task. Null if none exists, and
   * after the merge.
   */
  @Nullable String branch();

  /**
   * Returns whether the task is completed and has nothing left to merge. A task completed on a
   * {@linkplain #branch branch} is settled when the branch was merged into the session's branch and
   * the gates have passed. Until then, dependent tasks and the completion of the session wait. A
   * task without a branch is settled when it is completed.
   */
  boolean isSettled();

  /** Returns the time of the merge, or null if the task was not merged or had no branch. */
  @Nullable Instant mergedAt();

  /**
   * Returns the commit of the merge, or null if the task was not merged or there was nothing to
   * merge.
   */
  @Nullable String commit();

  /**
   * Returns the number of failed attempts: completions that a loop of several agents returned, for
   * example because a gate failed. An edit of the task, a change to {@link Status#REMAINING} and a
   * message that names the task reset the number, unless an agent makes them; so does a merge.
   * Returns 0 if no attempt failed.
   */
  int attempts();

  /**
   * Returns the attempt limit of the loop that counted the last failed attempt; 0 if no attempt
   * failed, or if the loop has no limit.
   */
  int attemptLimit();

  /** Returns whether the task is blocked by the attempt limit. */
  default boolean isOutOfAttempts() {
    return status() == Status.BLOCKED && attemptLimit() > 0 && attempts() >= attemptLimit();
  }

  /** Returns the idempotency key, or null: see {@link NewTask#key}. */
  @Nullable String key();

  /** Returns the reason of the newest change of the status, or null. */
  @Nullable String reason();

  /**
   * Returns the task as JSON, with the members of {@code ralph tasks --json} and whole texts.
   * Jackson serializes the task as this object.
   *
   * @throws RalphException as the methods that return texts
   */
  @JsonValue
  Meta json();
}
