package dev.ralph;

import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a loop. Immutable; its {@code toString()} is its {@link #message()}.
 *
 * <p>An event with particulars has a type of its own, named at its kind:
 *
 * <pre>{@code
 * .onEvent(event -> {
 *   if (event instanceof LoopEvent.IterationEnded ended) {
 *     meter.count(ended.session(), ended.usage());
 *   }
 * })
 * }</pre>
 *
 * <p>Made by loops only: methods and components may be added.
 */
public interface LoopEvent {

  /** The kinds of event. More may be added. */
  enum Type {
    /** The loop began. */
    LOOP_STARTED,
    /** Processes left by an earlier run were ended: {@link OrphansEnded}. Data: {@code pids}. */
    ORPHANS_ENDED,
    /**
     * The agent is about to run: {@link IterationStarted}. Data: {@code role} (a word of {@link
     * Iteration.Role}), where the loop has several; {@code task} (an id), where the agent was given
     * one.
     */
    ITERATION_STARTED,
    /** The agent said something: the message. */
    OUTPUT,
    /**
     * The agent has used more: {@link Used}. Data: {@code usage}, what this iteration used so far,
     * as {@link Usage#json} has it.
     */
    USAGE,
    /** Something that a person should know. */
    NOTICE,
    /**
     * The agent ended: {@link IterationEnded}. Data: {@code status} (a word of {@link
     * Iteration.Status}), {@code summary} if there is one, {@code duration_ms}, {@code usage} as
     * above if anything is known of it.
     */
    ITERATION_ENDED,
    /**
     * The loop waits, and says why and how long: {@link Waiting}. Data: {@code reason} ({@code
     * paused}, {@code questions}, {@code failure}, {@code rate_limit} or {@code no_progress}); with
     * the last three {@code millis}, with {@code questions} their numbers as {@code open}, an array
     * of texts such as {@code q1}.
     */
    WAITING,
    /**
     * Somebody, as a rule the agent, asked the operator a question while the loop runs: {@link
     * Asked}; told about a second later at most. Data: {@code ref} such as {@code q1}, {@code id},
     * {@code text}, {@code by} if that is known. The event's iteration is the one that asked, or 0.
     */
    QUESTION,
    /**
     * A message has reached the agent: it was marked as read while the loop runs, or has surely
     * been seen: {@link MessageRead}; told about a second later at most. Data: {@code ref} such as
     * {@code m3}, {@code id}.
     */
    MESSAGE_READ,
    /**
     * A gate is about to run: {@link GateStarted}. Data: {@code name}, and {@code command}, an
     * array, if it is one.
     */
    GATE_STARTED,
    /**
     * A gate ran: {@link GateEnded}. Data: {@code name} and {@code command} as above, {@code
     * passed}, {@code exit_code} if there is one, and {@code reason}, a text, if it says why it was
     * not passed.
     */
    GATE,
    /**
     * Completion was claimed and not granted: {@link CompletionRefused}. Data: {@code reasons}, an
     * array of texts.
     */
    COMPLETION_REFUSED,
    /**
     * What an agent of several has done for a task is on the session's branch: {@link Landed}.
     * Data: {@code task} (its id), {@code commit} unless there was nothing to land.
     */
    LANDED,
    /**
     * What an agent of several has done for a task could not land, so the task is open again:
     * {@link SentBack}. Data: {@code task} (its id), {@code reason}.
     */
    SENT_BACK,
    /**
     * The loop ended: {@link LoopEnded}. Data: {@code reason} (a word of {@link StopReason}),
     * {@code detail} if there is one, {@code iterations}, {@code usage} as above.
     */
    LOOP_ENDED
  }

  /** Returns what every event has: this event without its particulars. */
  Head head();

  /** Returns the kind of event. */
  default Type type() {
    return head().type();
  }

  /** Returns the name of the session that the loop works on. */
  default String session() {
    return head().session();
  }

  /** Returns when it happened. */
  default Instant time() {
    return head().time();
  }

  /** Returns the iteration it belongs to, or 0. */
  default int iteration() {
    return head().iteration();
  }

  /**
   * Returns which agent of several it is about, from 1; 0 where the loop has only one, or it is
   * about none of them.
   */
  default int agent() {
    return head().agent();
  }

  /** Returns the event in words. */
  default String message() {
    return head().message();
  }

  /** Returns the event's particulars as JSON; each kind says which. */
  default Meta data() {
    return head().data();
  }

  /**
   * Returns the event as one line of JSON: {@code type}, {@code session}, {@code time}, {@code
   * iteration}, {@code agent} unless it is 0, {@code message}, {@code data}. The time is in UTC
   * with three digits of milliseconds, such as {@code 2026-01-31T09:05:00.250Z}.
   */
  default String json() {
    return Meta.of("type", type().name().toLowerCase(Locale.ROOT))
        .with("session", session())
        .with("time", EventTime.format(time()))
        .with("iteration", iteration())
        .with("agent", agent() == 0 ? null : agent())
        .with("message", message())
        .with("data", data())
        .json();
  }

  /**
   * What every event has; also an event that has no particulars.
   *
   * @param iteration that it belongs to, or 0
   * @param agent which of several it is about, from 1; 0 for none
   * @param message the event in words
   * @param data its particulars as JSON
   */
  record Head(
      Type type, String session, Instant time, int iteration, int agent, String message, Meta data)
      implements LoopEvent {

    @Override
    public Head head() {
      return this;
    }

    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * Processes left by an earlier run were ended.
   *
   * @param pids their process ids
   */
  record OrphansEnded(Head head, List<Long> pids) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The agent is about to run.
   *
   * @param role what the iteration is for
   * @param task the id of what an agent of several was given; null where it has no task of its own
   */
  record IterationStarted(Head head, Iteration.Role role, @Nullable String task)
      implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The agent has used more.
   *
   * @param usage what this iteration used so far
   */
  record Used(Head head, Usage usage) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The agent ended.
   *
   * @param status how the iteration went
   * @param summary what was done or why it failed, or null where nobody said
   * @param took how long the agent ran
   * @param usage what the iteration used, as far as is known
   */
  record IterationEnded(
      Head head, Iteration.Status status, @Nullable String summary, Duration took, Usage usage)
      implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The loop waits.
   *
   * @param reason what for
   * @param atMost how long at the most, or null where that depends on a person
   * @param questions the open questions that it waits for, such as {@code q1}; empty for none
   */
  record Waiting(Head head, Reason reason, @Nullable Duration atMost, List<String> questions)
      implements LoopEvent {
    /** What a loop waits for. More may be added. */
    public enum Reason {
      /** The session is paused. */
      PAUSED,
      /** Questions to the operator are open. */
      QUESTIONS,
      /** An iteration failed. */
      FAILURE,
      /** An iteration was rate limited. */
      RATE_LIMIT,
      /** Iterations changed nothing. */
      NO_PROGRESS
    }

    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * Somebody asked the operator a question.
   *
   * @param question as it was asked
   */
  record Asked(Head head, Question question) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A message has reached the agent.
   *
   * @param read the message
   */
  record MessageRead(Head head, Message read) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A gate is about to run.
   *
   * @param gate the gate
   */
  record GateStarted(Head head, Gate gate) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A gate ran.
   *
   * @param gate the gate
   * @param verdict whether it was passed, and if not, why
   */
  record GateEnded(Head head, Gate gate, Verdict verdict) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * Completion was claimed and not granted.
   *
   * @param reasons why, each with what to do about it
   */
  record CompletionRefused(Head head, List<String> reasons) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * What an agent of several has done for a task is on the session's branch.
   *
   * @param task its id; empty for what an agent did that worked alone
   * @param commit the commit on the session's branch, or null where there was nothing to land
   */
  record Landed(Head head, String task, @Nullable String commit) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * What an agent of several has done for a task could not land, so the task is open again.
   *
   * @param task its id; empty for what an agent did that worked alone
   * @param reason why, as the next agent is told
   */
  record SentBack(Head head, String task, String reason) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The loop ended.
   *
   * @param result how
   */
  record LoopEnded(Head head, LoopResult result) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }
}
