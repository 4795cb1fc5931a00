package dev.ralph.cli.agent;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;

/**
 * The common properties of the commands for orchestrators and coding agents. Unlike other commands
 * they always print JSON, and use a single exit code for all failures.
 */
public final class AgentGroup {

  /** The first word of the commands. */
  public static final String NAME = "agent";

  /** The summary of the commands in a single line. */
  public static final String SUMMARY = "for programs: work through an OpenSpec change, in JSON";

  /** The purpose of the commands. */
  public static final String PURPOSE =
      "For programs: an orchestrator and its coding agents work through an OpenSpec change,\n"
          + "story by story. Results and failures are JSON; each failure ends with exit code 1.\n"
          + "For interactive use see ralph build, ralph status and ralph tasks.";

  /** The exit code of all failures, including wrong usage. */
  public static final int FAILED = 1;

  private AgentGroup() {}

  /**
   * Renders a failure as JSON.
   *
   * @param kind the code of the failure in other commands
   * @param message the message in a single line
   */
  public static String failure(String kind, RuntimeException e, String message) {
    return Meta.of("success", false).with("error", message).with("code", code(kind, e)).json();
  }

  private static String code(String kind, RuntimeException e) {
    if (e instanceof AgentException own) {
      return own.word();
    }
    return switch (kind) {
      // Another process owns the change; a temporarily busy store is a different failure.
      case "CONTENDED" -> "LOCKED";
      case "LOCKED" -> "STORE_LOCKED";
      default -> kind;
    };
  }

  /** A failure specific to these commands. */
  static final class AgentException extends RalphException {

    private static final long serialVersionUID = 1L;

    static final String SESSION_REQUIRED = "SESSION_REQUIRED";
    static final String STORY_REQUIRED = "STORY_REQUIRED";
    static final String SCOPE_ERROR = "SCOPE_ERROR";

    private final String word;

    AgentException(String word, String message) {
      super(Code.INVALID, message, null);
      this.word = word;
    }

    String word() {
      return word;
    }
  }
}
