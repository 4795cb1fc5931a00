package dev.ralph.cli;

import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import java.util.List;

/** How a command says that it failed: to people, in JSON, or as an agent's commands do. */
enum FailureForm {
  TEXT,
  JSON,
  AGENT;

  /** Returns the form that the caller of those words expects. */
  static FailureForm of(List<String> words) {
    if (!words.isEmpty() && words.get(0).equals(AgentGroup.NAME)) {
      return AGENT;
    }
    return words.contains("--json") ? JSON : TEXT;
  }

  /**
   * Returns the line that says it.
   *
   * @param kind a word for programs
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

  /** Returns the exit code for a failure that has that one with the other commands. */
  int exitCode(int usual) {
    return this == AGENT ? AgentGroup.FAILED : usual;
  }
}
