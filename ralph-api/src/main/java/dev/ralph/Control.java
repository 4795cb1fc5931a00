package dev.ralph;

import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Steers the loop of a session from any process: each order is a frame that the loop reads. */
public interface Control {

  /**
   * Says that all work is done. A running loop checks the claim once the agent has ended, and ends
   * if every task is completed or cancelled, every message read, and every gate passes; a message
   * that comes while the gates run counts too. A claim stays until the loop grants or refuses it,
   * or ends; while it stays, claiming again changes nothing. One that is made while no loop runs is
   * checked by the next loop before its first iteration. After a claim was granted the session can
   * be claimed again, because work may have been added since. While several agents work at once, a
   * claim does not count what others have in hand or what is still to land: it is checked when none
   * of them works any more.
   *
   * @throws RalphException INVALID if tasks are still open or messages not marked as read,
   *     follow-ups included, naming them
   */
  void complete();

  /**
   * Returns what keeps the session from being complete, in words for people: tasks that are open,
   * or completed and not {@linkplain Task#isLanded landed}, messages that are unread. Empty if only
   * a claim and the gates are missing.
   */
  List<String> outstanding();

  /** Lets a loop wait before its next iteration. */
  void pause();

  /** Lets a paused loop go on. */
  void resume();

  /**
   * Ends the running loop after its present iteration. A loop that begins later ignores it.
   *
   * @param reason for people, or null
   */
  void stop(@Nullable String reason);

  /**
   * Lets the loop that runs use more than it was given, without a new start; it hears that while an
   * agent works. What is added twice counts twice. A loop that takes the place of a killed one has
   * its own limit of iterations; more cost and more tokens hold for that one too, because what was
   * used does. When the loop ends, what was added is over.
   *
   * @throws RalphException INVALID if no loop runs, or it has no limit of iterations to raise
   */
  void raise(More more);

  /**
   * Declares the recorded loop dead when its process can't be checked from here: a loop that was
   * killed on another machine, or in a container, would keep the session for itself, or until its
   * lease ends. One that lives ends by itself then. Does nothing if no loop is recorded.
   *
   * @throws RalphException INVALID if it runs on this machine
   */
  void loopIsGone();

  /** Returns whether loops wait before their next iteration. */
  boolean isPaused();

  /** Returns whether the loop was told to stop and has not ended yet. */
  boolean isStopping();

  /**
   * Returns whether the session is complete: a loop granted that, no other loop began since, and no
   * task is open or waits to land. A task that is added or reopened ends this, and so does the next
   * loop.
   */
  boolean isCompleted();

  /** Returns the loop that runs on the session, as the log knows it. */
  Optional<RunningLoop> running();

  /**
   * Returns what the loop that runs does besides the work of its agents, and why they do not work:
   * first what it does as a whole, then by agent. Known a second after that began; empty if nothing
   * of it takes longer, or no loop runs.
   */
  List<Activity> activities();

  /**
   * What is added to the limits of a loop; a limit that it does not have stays away.
   *
   * @param iterations so many more, 0 or more
   * @param costUsd so much more, in US dollars; above 0, or null for nothing
   * @param tokens so many more, 0 or more
   */
  record More(int iterations, @Nullable BigDecimal costUsd, long tokens) {

    /**
     * Makes it.
     *
     * @throws RalphException INVALID if a number is below 0, or nothing is added at all
     */
    public More {
      boolean isCost = costUsd != null && costUsd.signum() > 0;
      if (iterations < 0
          || tokens < 0
          || costUsd != null && !isCost
          || iterations == 0 && tokens == 0 && !isCost) {
        throw RalphException.invalid(
            "a limit is raised by more than 0, not by "
                + iterations
                + " iterations, "
                + (costUsd == null ? "" : costUsd.toPlainString() + " US dollars, ")
                + tokens
                + " tokens");
      }
    }

    /** Returns so many more iterations. */
    public static More iterations(int more) {
      return new More(more, null, 0);
    }

    /** Returns so much more cost, in US dollars. */
    public static More cost(BigDecimal more) {
      return new More(0, more, 0);
    }

    /** Returns so many more tokens. */
    public static More tokens(long more) {
      return new More(0, null, more);
    }
  }

  /**
   * A loop that said it began and has not said it ended.
   *
   * @param host the machine it runs on
   * @param pid its process there
   * @param live whether it still runs, by its process or else by its lease; true where neither
   *     tells
   * @param first the number of the first iteration that it runs itself, 0 if it did not say
   * @param limit how many iterations it has at most, with what was {@linkplain #raise added}; 0 if
   *     endless or if it did not say
   * @param agents how many agents it lets work at once, 1 or more
   * @param until when another loop may take its place unless it gives a sign of life; null where
   *     only its process tells
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
   * What a loop, or one of its agents, does besides an agent's work.
   *
   * @param agent which of several, from 1; 0 for the loop as a whole, or its only agent
   * @param kind what it does
   * @param since when that began
   * @param until when it ends at the latest, or null where that is not known
   * @param about the name of the gate, or why something is as it is; null where the kind says it
   *     all
   * @param refs the questions or tasks that it is about, such as {@code q1}; empty for none
   */
  record Activity(
      int agent,
      Kind kind,
      Instant since,
      @Nullable Instant until,
      @Nullable String about,
      List<String> refs) {

    /** What is done. More may be added. */
    public enum Kind {
      /** A gate runs; on which tasks' work, if it is one of several agents that is to land. */
      GATE,
      /** Tasks land; or, where it says until when, that waits because Git has refused. */
      LANDING,
      /** The agent's folder is prepared. */
      FOLDER,
      /** What the agent did is committed. */
      COMMIT,
      /** The session is paused. */
      PAUSED,
      /** Questions to the operator are open. */
      QUESTIONS,
      /** An iteration has failed. */
      FAILURE,
      /** An iteration was rate limited. */
      RATE_LIMIT,
      /** Iterations changed nothing. */
      NO_PROGRESS,
      /** The agent takes no further turn. */
      OVER;

      private final String word = name().toLowerCase(Locale.ROOT);

      /** Returns the kind as it stands in frames. */
      public String word() {
        return word;
      }
    }
  }
}
