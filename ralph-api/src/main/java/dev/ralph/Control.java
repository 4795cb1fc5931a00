package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Controls the loop of a session from any process. Each command is a frame that the loop reads. */
public interface Control {

  /**
   * Claims that all work is done. A running loop checks the claim after the agent has ended. The
   * loop completes the session if every task is completed or cancelled, every message is read, and
   * every gate passes; a message that arrives while the gates run counts too.
   *
   * <p>The claim is pending until a loop grants or refuses it, or ends. Further claims have no
   * effect while a claim is pending. If no loop runs, the next loop checks the claim before its
   * first iteration. With several agents, the claim ignores tasks that other agents are working on
   * and tasks to be merged; the loop checks the claim when no agent is running. A completed session
   * can be claimed again, because work may have been added since.
   *
   * @throws RalphException INVALID if tasks are open or messages unread, including follow-ups; the
   *     message names them
   */
  void complete();

  /**
   * Returns the reasons for which the session is not complete, as text for people: tasks that are
   * open or not {@linkplain Task#isSettled settled}, and unread messages. Empty if only the claim
   * and the gates are missing.
   */
  List<String> outstanding();

  /** Pauses the loop before its next iteration. */
  void pause();

  /** Resumes a paused loop. */
  void resume();

  /**
   * Stops the running loop after its present iteration. Loops that begin later are not affected.
   *
   * @param reason the reason, for people, or null
   */
  void stop(@Nullable String reason);

  /**
   * Raises limits of the running loop without a restart, also while an agent runs. Several calls
   * add up. A loop that continues a killed loop has its own limit of iterations, but the raised
   * cost and token limits, because the usage counts too. The raise ends with the loop.
   *
   * @throws RalphException INVALID if no loop runs, or the loop has no limit of iterations to raise
   */
  void raise(More more);

  /**
   * Declares the recorded loop dead if its process can't be checked from this machine. Without this
   * call, a loop killed on another machine or in a container keeps the session, with a lease only
   * until expiry. A loop that is still alive stops. Does nothing if no loop is recorded.
   *
   * @throws RalphException INVALID if the loop runs on this machine
   */
  void loopIsGone();

  /** Returns whether the session is paused: loops wait before their next iteration. */
  boolean isPaused();

  /** Returns whether the loop was told to stop and has not ended. */
  boolean isStopping();

  /**
   * Returns whether the session is complete: a loop has granted completion, no loop has begun
   * since, and every task is settled. A new or reopened task makes the session incomplete, and so
   * does the next loop.
   */
  boolean isCompleted();

  /** Returns the loop that the log records as running. */
  Optional<RunningLoop> running();

  /**
   * Returns the end of the newest loop. Empty before the first end and while a loop is recorded.
   */
  Optional<LoopEnd> lastEnd();

  /**
   * Returns the activities of the running loop besides its agents, and the reasons for which agents
   * wait: first those of the whole loop, then by agent. An activity is listed if it takes longer
   * than a second. Empty if none exists or no loop runs.
   */
  List<Activity> activities();

  /**
   * The amounts to add to the limits of a loop. An amount for a limit that the loop does not have
   * is ignored.
   *
   * @param iterations the number of iterations, not negative
   * @param costUsd the cost in US dollars, positive, or null for none
   * @param tokens the number of tokens, not negative
   */
  record More(int iterations, @Nullable BigDecimal costUsd, long tokens) {

    /**
     * Creates the amounts.
     *
     * @throws RalphException INVALID if a number is negative, or all amounts are zero
     */
    public More {
      boolean isCost = costUsd != null && costUsd.signum() > 0;
      if (iterations < 0
          || tokens < 0
          || costUsd != null && !isCost
          || iterations == 0 && tokens == 0 && !isCost) {
        throw RalphException.invalid(
            "a limit must be raised by more than 0, not by "
                + iterations
                + " iterations, "
                + (costUsd == null ? "" : costUsd.toPlainString() + " US dollars, ")
                + tokens
                + " tokens");
      }
    }

    /** Returns an amount of iterations. */
    public static More iterations(int more) {
      return new More(more, null, 0);
    }

    /** Returns an amount of cost in US dollars. */
    public static More cost(BigDecimal more) {
      return new More(0, more, 0);
    }

    /** Returns an amount of tokens. */
    public static More tokens(long more) {
      return new More(0, null, more);
    }
  }

  /**
   * A loop whose begin is recorded and whose end is not.
   *
   * @param host the name of its machine
   * @param pid the process id on the loop's machine
   * @param live whether the loop is alive, by the process or else by the lease; true if neither can
   *     be checked
   * @param first the number of its first iteration, 0 if unknown
   * @param limit its limit of iterations, including {@linkplain #raise raises}; 0 for no limit or
   *     if unknown
   * @param agents the number of agents that work at once, at least 1
   * @param until the expiry time of the lease unless renewed; null for a loop without a lease
   */
  record RunningLoop(
      String host,
      long pid,
      boolean live,
      int first,
      int limit,
      int agents,
      @Nullable Instant until) {}

  /**
   * The recorded end of a loop.
   *
   * @param reason the {@linkplain StopReason#word word} of a stop reason; {@code gone} after {@link
   *     #loopIsGone}. Later versions may add words
   * @param detail the first line of the details, for people; null if none are recorded
   * @param time the time of the end
   */
  record LoopEnd(String reason, @Nullable String detail, Instant time) {}

  /**
   * An activity of a loop, or of one of its agents, apart from the agent's work.
   *
   * @param agent the number of the agent, from 1; 0 for the whole loop or its only agent
   * @param kind the kind of activity
   * @param since the start time
   * @param until the latest end time, or null if unknown
   * @param about the name of the gate, or a reason; null if the kind needs no explanation
   * @param refs references to the questions or tasks concerned, such as {@code q1}; may be empty
   */
  record Activity(
      int agent,
      Kind kind,
      Instant since,
      @Nullable Instant until,
      @Nullable String about,
      List<String> refs) {

    /** The kind of an activity. Later versions may add kinds. */
    public enum Kind {
      /** A gate runs. With several agents, the references name the tasks to be merged. */
      GATE,
      /** Tasks are being merged. With an end time, the merge waits because Git has refused. */
      MERGE,
      /** The agent's work tree is being prepared. */
      FOLDER,
      /** The agent's changes are being committed. */
      COMMIT,
      /** The session is paused. */
      PAUSED,
      /** Questions to the operator are open. */
      QUESTIONS,
      /** The loop waits after a failed iteration. */
      FAILURE,
      /** The loop waits after a rate-limited iteration. */
      RATE_LIMIT,
      /** The loop waits after iterations without progress. */
      NO_PROGRESS,
      /** The agent gets no further iteration. */
      OVER;

      private final String word = name().toLowerCase(Locale.ROOT);

      /** Returns the word of the kind in frames. */
      @JsonValue
      public String word() {
        return word;
      }
    }
  }
}
