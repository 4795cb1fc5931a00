package dev.ralph.cli;

import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import java.util.List;

/** The format of failures: text, JSON, or the JSON of the agent commands. */
enum FailureForm {
  TEXT,
  JSON,
  AGENT;

  /** Returns the format expected by the caller of a command line. */
  static FailureForm of(List<String> words) {
    if (!words.isEmpty() && words.get(0).equals(AgentGroup.NAME)) {
      return AGENT;
    }
    return words.contains("--json") ? JSON : TEXT;
  }

  /**
   * Renders a failure as a line.
   *
   * @param kind a code for programs
   */
  String line(String kind, RuntimeException e) {
    String message = SafeText.line(String.valueOf(e.getMessage()));
    return switch (this) {
      case TEXT -> "ralph: " + message;
      case JSON ->
          Meta.of("v", Json.VERSION)
              .with("kind", "error")
              .with("code", kind)
              .with("message", message)
              .json();
      case AGENT -> AgentGroup.failure(kind, e, message);
    };
  }

  /** Returns the exit code for a failure, given the exit code of other commands. */
  int exitCode(int usual) {
    return this == AGENT ? AgentGroup.FAILED : usual;
  }
}
