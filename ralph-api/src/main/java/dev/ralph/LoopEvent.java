package dev.ralph;

import java.time.Instant;

/** Something that happened in a loop. */
public final class LoopEvent {

  /** The kinds of event. More may be added. */
  public enum Type {
    /** The loop began. */
    LOOP_STARTED,
    /** Processes left by an earlier run were ended. */
    ORPHANS_ENDED,
    /** The agent is about to run. */
    ITERATION_STARTED,
    /** The agent said something. */
    OUTPUT,
    /** Something that a person should know. */
    NOTICE,
    /** The agent ended. */
    ITERATION_ENDED,
    /** The loop waits, and says why and how long. */
    WAITING,
    /** A gate ran. */
    GATE,
    /** Completion was claimed and not granted. */
    COMPLETION_REFUSED,
    /** The loop ended. */
    LOOP_ENDED
  }

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
   * message}, {@code data}.
   */
  public String json() {
    return Meta.of("type", type.name().toLowerCase(java.util.Locale.ROOT))
        .with("time", time.toString())
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
