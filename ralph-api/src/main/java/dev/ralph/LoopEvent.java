package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An event of a loop. Immutable; {@code toString()} returns the {@link #message()}.
 *
 * <p>Events with typed details have a class of their own, which {@link Type} names:
 *
 * <pre>{@code
 * .onEvent(event -> {
 *   if (event instanceof LoopEvent.IterationEnded ended) {
 *     meter.count(ended.session(), ended.usage());
 *   }
 * })
 * }</pre>
 *
 * <p>Only loops create events. Later versions may add methods and components.
 */
public interface LoopEvent {

  /** The type of an event. Later versions may add types. */
  enum Type {
    /** The loop began. */
    LOOP_STARTED,
    /** Processes of an earlier run were ended. Data: {@code pids}, an array of numbers. */
    ORPHANS_ENDED,
    /**
     * An iteration begins: {@link IterationStarted}. Data: {@code role} (a word of {@link
     * Iteration.Role}) if the loop has several roles; {@code task} (an id) if the agent has an
     * assigned task.
     */
    ITERATION_STARTED,
    /** The agent printed output: the message. */
    OUTPUT,
    /**
     * The usage of the agent has grown: {@link Used}. Data: {@code usage}, the usage of this
     * iteration so far, in the form of {@link Usage#json}.
     */
    USAGE,
    /** Information for a person: the message. */
    NOTICE,
    /**
     * An iteration has ended: {@link IterationEnded}. Data: {@code status} (a word of {@link
     * Iteration.Status}), {@code summary} if there is one, {@code duration_ms}, and {@code usage}
     * as above if known.
     */
    ITERATION_ENDED,
    /**
     * The loop waits: {@link Waiting}. Data: {@code reason} ({@code paused}, {@code questions},
     * {@code failure}, {@code rate_limit} or {@code no_progress}); with the last three, {@code
     * millis}; with {@code questions}, {@code open}, an array of numbers such as {@code q1}.
     */
    WAITING,
    /**
     * The operator was asked a question while the loop runs: {@link Asked}. Published within about
     * a second. Data: {@code ref} such as {@code q1}, {@code id}, {@code text}, and {@code by} if
     * known. The event's iteration is the iteration of the question, or 0.
     */
    QUESTION,
    /**
     * A message was marked as read or certainly seen by the agent while the loop runs. Published
     * within about a second. Data: {@code ref} such as {@code m3}, and {@code id}.
     */
    MESSAGE_READ,
    /**
     * A gate begins: {@link GateStarted}. Data: {@code name}, and {@code command}, an array, if the
     * gate is a command.
     */
    GATE_STARTED,
    /**
     * A gate has ended: {@link GateEnded}. Data: {@code name} and {@code command} as above, {@code
     * passed}, {@code exit_code} if there is one, and {@code reason}, a text, if the gate failed
     * with a reason.
     */
    GATE,
    /**
     * A claim of completion was refused: {@link CompletionRefused}. Data: {@code reasons}, an array
     * of texts.
     */
    COMPLETION_REFUSED,
    /**
     * The work on a task was merged into the session's branch. Data: {@code task}, the id of the
     * task or an empty text for work without a task, and {@code commit} unless there was nothing to
     * merge.
     */
    MERGED,
    /**
     * A task was returned because its work could not be merged: {@link SentBack}. Data: {@code
     * task} (its id), {@code reason}.
     */
    SENT_BACK,
    /**
     * The loop has ended: {@link LoopEnded}. Data: {@code reason} (a word of {@link StopReason}),
     * {@code detail} if there is one, {@code iterations}, and {@code usage} as above.
     */
    LOOP_ENDED
  }

  /**
   * Returns an event without details of its own.
   *
   * @param iteration the number of the iteration, or 0
   * @param agent the number of the agent, from 1; 0 for none
   * @param message the event as text for people
   * @param data the details as JSON
   */
  static LoopEvent of(
      Type type,
      String session,
      Instant time,
      int iteration,
      int agent,
      String message,
      Meta data) {
    return new PlainEvent(type, session, time, iteration, agent, message, data);
  }

  /** Returns the common part of all events, an event without details of its own. */
  LoopEvent head();

  /** Returns the type of the event. */
  default Type type() {
    return head().type();
  }

  /** Returns the name of the session of the loop. */
  default String session() {
    return head().session();
  }

  /** Returns the time of the event. */
  default Instant time() {
    return head().time();
  }

  /** Returns the number of the iteration, or 0 for none. */
  default int iteration() {
    return head().iteration();
  }

  /**
   * Returns the number of the agent, from 1; 0 if the loop has one agent only, or the event
   * concerns no agent.
   */
  default int agent() {
    return head().agent();
  }

  /** Returns the event as text for people. */
  default String message() {
    return head().message();
  }

  /** Returns the details of the event as JSON; see {@link Type}. */
  default Meta data() {
    return head().data();
  }

  /**
   * Returns the event as one line of JSON: {@code type}, {@code session}, {@code time}, {@code
   * iteration}, {@code agent} unless it is 0, {@code message}, {@code data}. The time is in UTC
   * with three digits of milliseconds, such as {@code 2026-01-31T09:05:00.250Z}.
   */
  default String json() {
    return jsonObject().json();
  }

  /** Returns the object of {@link #json()}. Jackson serializes the event as this object. */
  @JsonValue
  default Meta jsonObject() {
    return Meta.of("type", type().name().toLowerCase(Locale.ROOT))
        .with("session", session())
        .with("time", EventTime.format(time()))
        .with("iteration", iteration())
        .with("agent", agent() == 0 ? null : agent())
        .with("message", message())
        .with("data", data());
  }

  /**
   * An iteration begins.
   *
   * @param role the role of the iteration
   * @param task the id of the assigned task, or null for none
   */
  record IterationStarted(LoopEvent head, Iteration.Role role, @Nullable String task)
      implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The usage of the agent has grown.
   *
   * @param usage the usage of this iteration so far
   */
  record Used(LoopEvent head, Usage usage) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * An iteration has ended.
   *
   * @param status the status of the iteration
   * @param summary a summary of the work or of the failure, or null
   * @param took the duration of the agent's run
   * @param usage the usage of the iteration, as far as it is known
   */
  record IterationEnded(
      LoopEvent head, Iteration.Status status, @Nullable String summary, Duration took, Usage usage)
      implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The loop waits.
   *
   * @param reason the reason of the wait: paused, questions, failure, rate limit or no progress;
   *     later versions may add reasons
   * @param atMost the longest time to wait, or null if a person ends the wait
   * @param questions the open questions, such as {@code q1}; may be empty
   */
  record Waiting(
      LoopEvent head,
      Control.Activity.Kind reason,
      @Nullable Duration atMost,
      List<String> questions)
      implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The operator was asked a question.
   *
   * @param question the question
   */
  record Asked(LoopEvent head, Question question) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A gate begins.
   *
   * @param gate the gate
   */
  record GateStarted(LoopEvent head, Gate gate) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A gate has ended.
   *
   * @param gate the gate
   * @param verdict the result of the gate
   */
  record GateEnded(LoopEvent head, Gate gate, Verdict verdict) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A claim of completion was refused.
   *
   * @param reasons the reasons, each with a remedy
   */
  record CompletionRefused(LoopEvent head, List<String> reasons) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * A task was returned because its work could not be merged.
   *
   * @param task the id of the task; empty for the work of an agent without a task
   * @param reason the reason, which the next agent gets
   */
  record SentBack(LoopEvent head, String task, String reason) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }

  /**
   * The loop has ended.
   *
   * @param result the result
   */
  record LoopEnded(LoopEvent head, LoopResult result) implements LoopEvent {
    @Override
    public String toString() {
      return message();
    }
  }
}
