package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A task as it stands at one moment; it does not change when the log does. */
public interface Task {

  /** How far a task has come. */
  enum Status {
    /** Not begun. */
    REMAINING("remaining"),
    /** Begun. */
    IN_PROGRESS("in_progress"),
    /** Waits for something outside. */
    BLOCKED("blocked"),
    /** Done. */
    COMPLETED("completed"),
    /** Given up. */
    CANCELLED("cancelled");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** Returns the status as it stands in frames and commands. */
    public String word() {
      return word;
    }

    /** Returns whether nothing is left to do: completed or cancelled. */
    public boolean isTerminal() {
      return this == COMPLETED || this == CANCELLED;
    }

    /**
     * Returns the status of that word.
     *
     * @throws RalphException INVALID if there is none, naming those there are
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

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other task has.
   */
  String shortId();

  /** Returns the task's number in its session, from 1; {@code t12} refers to it everywhere. */
  int number();

  /**
   * Returns what is to be done, whole. One of more than 256 characters is read from the store each
   * time, so keep it while you work with it; for a list {@link #beginning} is the cheaper one. It
   * is empty if its frame was erased since.
   *
   * @throws RalphException DAMAGED if it is lost, IO if it can't be read, CLOSED once the store is
   *     closed
   */
  String content();

  /**
   * Returns the beginning of the content: all of it if it is no longer than that. Cheap up to 1,500
   * characters, however long the text is. Where the rest is lost, what is left of it is shorter
   * than was asked for; {@link Ralph#damage()} says so then.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  default String beginning(int characters) {
    return TextBeginning.of(content(), characters);
  }

  /** Returns how many characters ({@code char}s) the content has. Nothing is read for that. */
  default int length() {
    return content().length();
  }

  /** Returns how far it has come. */
  Status status();

  /** Returns its urgency, 0 (first) to 4 (last). */
  int priority();

  /**
   * Returns what it touches, as patterns of paths: see {@link NewTask#touches}. Empty where it does
   * not say.
   */
  List<String> touches();

  /**
   * Returns the ids of the tasks that must be completed and {@linkplain #isLanded landed}, or
   * cancelled, before this one.
   */
  List<String> dependencies();

  /**
   * Returns the tasks that it still waits for: those of its dependencies that are neither
   * {@linkplain #isLanded landed} nor cancelled. None if it is completed or cancelled itself.
   */
  List<Task> awaited();

  /** Returns when it was added. */
  Instant added();

  /** Returns the iteration in which its status was last changed, or 0 where that is not known. */
  int iteration();

  /** Returns the newest claim on it, run out or not, or null where nobody has claimed it. */
  @Nullable Claim claim();

  /**
   * Returns the claim that is held on the task at that time, or null. A completed or cancelled task
   * is held by nobody.
   */
  default @Nullable Claim claimAt(Instant time) {
    Claim newest = claim();
    return newest != null && newest.isLive(time) && !status().isTerminal() ? newest : null;
  }

  /**
   * Returns the branch that the newest claim is worked on in: where several agents work at once,
   * each works on one of its own. It stays when the task is given back, for the one that goes on
   * with it. Null where there is none, and once it has landed.
   */
  @Nullable String branch();

  /**
   * Returns whether the task is completed and nothing of it is left to land. What was completed on
   * a {@linkplain #branch branch} lands when that has become part of the session's branch and
   * passed its gates; until then no other task and no completion of the session counts it as done.
   * Any other task lands as it is completed.
   */
  boolean isLanded();

  /** Returns when its branch landed, or null if it has not, or there was none. */
  @Nullable Instant landed();

  /**
   * Returns the commit that its branch landed as, or null if it has not landed, or there was
   * nothing to land.
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

  /** Returns whether the task is blocked because it reached its attempt limit. */
  default boolean isOutOfAttempts() {
    return status() == Status.BLOCKED && attemptLimit() > 0 && attempts() >= attemptLimit();
  }

  /** Returns the key that it was added under, or null: see {@link NewTask#key}. */
  @Nullable String key();

  /** Returns the reason given with the newest change of status, or null. */
  @Nullable String reason();
}
