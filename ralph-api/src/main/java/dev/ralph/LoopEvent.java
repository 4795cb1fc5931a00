package dev.ralph;

import dev.ralph.log.Meta;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Something that happened in a loop. */
public final class LoopEvent {

  /** The kinds of event. More may be added. */
  public enum Type {
    /** The loop began. */
    LOOP_STARTED,
    /** Processes left by an earlier run were ended. Data: {@code pids}. */
    ORPHANS_ENDED,
    /** The agent is about to run. */
    ITERATION_STARTED,
    /** The agent said something. */
    OUTPUT,
    /**
     * The agent has used more. Data: {@code usage}, what this iteration used so far, with {@code
     * input_tokens}, {@code cached_tokens} if there are any, {@code output_tokens}, and {@code
     * cost_usd} if it is known.
     */
    USAGE,
    /** Something that a person should know. */
    NOTICE,
    /**
     * The agent ended. Data: {@code status} (a word of {@link Iteration.Status}), {@code summary}
     * if there is one, {@code duration_ms}, {@code usage} as above if anything is known of it.
     */
    ITERATION_ENDED,
    /**
     * The loop waits, and says why and how long. Data: {@code reason} ({@code paused}, {@code
     * questions}, {@code failure}, {@code rate_limit} or {@code no_progress}); with the last three
     * {@code millis}, with {@code questions} their numbers as {@code open}, an array of texts such
     * as {@code q1}.
     */
    WAITING,
    /**
     * Somebody, as a rule the agent, asked the operator a question while the loop runs; told about
     * a second later at most. Data: {@code ref} such as {@code q1}, {@code id}, {@code text},
     * {@code by} if that is known. The event's iteration is the one that asked, or 0.
     */
    QUESTION,
    /** A gate is about to run. Data: {@code command}, an array. */
    GATE_STARTED,
    /** A gate ran. Data: {@code command}, an array, and {@code passed}. */
    GATE,
    /** Completion was claimed and not granted. Data: {@code reasons}, an array of texts. */
    COMPLETION_REFUSED,
    /**
     * The loop ended. Data: {@code reason} (a word of {@link StopReason}), {@code detail} if there
     * is one, {@code iterations}, {@code usage} as above.
     */
    LOOP_ENDED
  }

  private static final DateTimeFormatter TO_THE_MILLISECOND =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private final Type type;
  private final Instant time;
  private final int iteration;
  private final String message;
  private final Meta data;

  private LoopEvent(Type type, Instant time, int iteration, String message, Meta data) {
    this.type = type;
    this.time = time;
    this.iteration = iteration;
    this.message = message;
    this.data = data;
  }

  /** Makes an event. */
  public static LoopEvent of(Type type, Instant time, int iteration, String message, Meta data) {
    return new LoopEvent(type, time, iteration, message, data);
  }

  /** Returns the kind of event. */
  public Type type() {
    return type;
  }

  /** Returns when it happened. */
  public Instant time() {
    return time;
  }

  /** Returns the iteration it belongs to, or 0. */
  public int iteration() {
    return iteration;
  }

  /** Returns the event in words. */
  public String message() {
    return message;
  }

  /** Returns the event's particulars. */
  public Meta data() {
    return data;
  }

  /**
   * Returns the event as one line of JSON: {@code type}, {@code time}, {@code iteration}, {@code
   * message}, {@code data}. The time is in UTC with three digits of milliseconds, such as {@code
   * 2026-01-31T09:05:00.250Z}.
   */
  public String json() {
    return Meta.of("type", type.name().toLowerCase(Locale.ROOT))
        .with("time", TO_THE_MILLISECOND.format(time))
        .with("iteration", iteration)
        .with("message", message)
        .with("data", data)
        .json();
  }

  @Override
  public String toString() {
    return message;
  }
}
