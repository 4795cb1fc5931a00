package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A run of the agent. */
public interface Iteration {

  /** The state of an iteration. */
  enum Status {
    /** The agent is running. */
    RUNNING("running"),
    /** The agent succeeded. */
    SUCCESS("success"),
    /** The agent failed. */
    FAILURE("failure"),
    /** A signal or a crash interrupted the iteration. The next run records a crash. */
    INTERRUPTED("interrupted"),
    /** The iteration reached its time limit. */
    TIMEOUT("timeout"),
    /** The model's provider limited the rate of requests. */
    RATE_LIMITED("rate_limited");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** Returns the word of the status in frames. */
    @JsonValue
    public String word() {
      return word;
    }

    /** Returns the status of a word; an unknown word of a newer version is {@link #FAILURE}. */
    public static Status of(@Nullable String word) {
      for (Status status : values()) {
        if (status.word.equals(word)) {
          return status;
        }
      }
      return FAILURE;
    }
  }

  /** The purpose of an iteration. */
  enum Role {
    /** Plans: adds the tasks. See {@link Loop.Builder#plan}. */
    PLAN,
    /** Works on tasks. The role of all iterations with no other role. */
    BUILD,
    /** Reviews the work of earlier iterations. See {@link Loop.Builder#review}. */
    REVIEW;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word of the role in frames. */
    @JsonValue
    public String word() {
      return word;
    }

    /** Returns the role of a word; null or an unknown word of a newer version is {@link #BUILD}. */
    public static Role of(@Nullable String word) {
      for (Role role : values()) {
        if (role.word.equals(word)) {
          return role;
        }
      }
      return BUILD;
    }
  }

  /** Returns the number in the session, from 1. Numbers continue with the next run of the loop. */
  int number();

  /** Returns the role. */
  Role role();

  /**
   * Returns the number of the agent, from 1, if several agents work at once; 0 for a single agent.
   */
  int agent();

  /**
   * Returns the id of the assigned task if several agents work at once; null for no assigned task.
   */
  @Nullable String task();

  /** Returns the status. */
  Status status();

  /** Returns the start time. */
  Instant started();

  /** Returns the duration; zero if the clock was set back meanwhile, null while running. */
  @Nullable Duration duration();

  /** Returns the agent's summary, or null. */
  @Nullable String summary();

  /**
   * Returns the reason, in one line, for which the completed {@link #task} of the iteration was
   * returned. Without a task: the reason for which the loop refused the completion of the session
   * after the iteration. Null if nothing was refused. The {@link #status} may be a success all the
   * same, because it is the status of the agent.
   */
  @Nullable String returned();

  /** Returns the usage that the agent reported. */
  Usage usage();

  /**
   * Returns the iteration as JSON, with the members of {@code ralph iterations --json} and whole
   * texts. Jackson serializes the iteration as this object.
   *
   * @throws RalphException as the methods that return texts
   */
  @JsonValue
  Meta json();
}
