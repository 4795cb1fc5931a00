package dev.ralph;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One run of the agent. */
public interface Iteration {

  /** How an iteration stands. */
  enum Status {
    /** Under way. */
    RUNNING("running"),
    /** The agent ended well. */
    SUCCESS("success"),
    /** The agent failed. */
    FAILURE("failure"),
    /** It was cut off: by a signal, or by a crash that the next run found. */
    INTERRUPTED("interrupted"),
    /** It took longer than allowed. */
    TIMEOUT("timeout"),
    /** The agent was told to come again later. */
    RATE_LIMITED("rate_limited");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** Returns the status as it stands in frames. */
    public String word() {
      return word;
    }

    /** Returns the status of that word; a word of a newer program counts as {@link #FAILURE}. */
    public static Status of(@Nullable String word) {
      for (Status status : values()) {
        if (status.word.equals(word)) {
          return status;
        }
      }
      return FAILURE;
    }
  }

  /** What an iteration is for. */
  enum Role {
    /** To make tasks of what is asked for: see {@link Loop.Builder#plan}. */
    PLAN,
    /** To do the work; whatever is not for one of the others. */
    BUILD,
    /** To look at what others did: see {@link Loop.Builder#review}. */
    REVIEW;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the role as it stands in frames. */
    public String word() {
      return word;
    }

    /** Returns the role of that word; any other, of a newer program, and none is {@link #BUILD}. */
    public static Role of(@Nullable String word) {
      for (Role role : values()) {
        if (role.word.equals(word)) {
          return role;
        }
      }
      return BUILD;
    }
  }

  /** Returns its number in the session, from 1; the next run of the loop counts on. */
  int number();

  /** Returns what it is for. */
  Role role();

  /**
   * Returns the number of the agent among several that work at once, from 1; 0 for one that works
   * alone.
   */
  int agent();

  /**
   * Returns the id of the task that the agent was given, one of several that work at once; null if
   * it was given none.
   */
  @Nullable String task();

  /** Returns how it stands. */
  Status status();

  /** Returns when it began. */
  Instant started();

  /** Returns how long it took, zero if the clock was put back meanwhile, or null while it runs. */
  @Nullable Duration duration();

  /** Returns what the agent said of it, or null. */
  @Nullable String summary();

  /**
   * Returns why the task that the iteration completed was returned to be worked on again, in one
   * line; null if no task was returned. The {@link #status} may still be a success: it says how the
   * agent ended.
   */
  @Nullable String returned();

  /** Returns what the agent used, as far as it said. */
  Usage usage();
}
