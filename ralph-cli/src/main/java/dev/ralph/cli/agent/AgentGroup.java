package dev.ralph.cli.agent;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;

/**
 * What the commands for orchestrators and coding agents have in common, unlike all others: they
 * answer in JSON whether asked to or not, and so they fail, with one exit code.
 */
public final class AgentGroup {

  /** The word that they begin with. */
  public static final String NAME = "agent";

  /** What they are for, in a line. */
  public static final String SUMMARY = "for machines: work through an OpenSpec change, in JSON";

  /** What they are for. */
  public static final String PURPOSE =
      "For machines, not for people: with these commands an orchestrator and its coding agents work\n"
          + "through an OpenSpec change, story by story. Answers and failures are JSON; every failure\n"
          + "ends with exit code 1. People use ralph build, status and tasks.";

  /** What each of them ends with that fails, wrongly used or not. */
  public static final int FAILED = 1;

  private AgentGroup() {}

  /**
   * Returns the line that tells of a failure.
   *
   * @param kind what the other commands call it
   * @param message on one line
   */
  public static String failure(String kind, RuntimeException e, String message) {
    return Meta.of("success", false).with("error", message).with("code", code(kind, e)).json();
  }

  private static String code(String kind, RuntimeException e) {
    if (e instanceof AgentException own) {
      return own.word();
    }
    return switch (kind) {
      // Somebody else has the change. That a store is busy for a moment is another matter.
      case "CONTENDED" -> "LOCKED";
      case "LOCKED" -> "STORE_LOCKED";
      default -> kind;
    };
  }

  /** A failure that only these commands know. */
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
