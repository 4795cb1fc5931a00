package dev.ralph.core.internal.process;

import dev.ralph.Turn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Environment variables that describe an agent's iteration and its task. */
public final class TurnVariables {

  /** The reference of the task for commands, such as {@code t12}. */
  public static final String TASK = "RALPH_TASK";

  /** The beginning of the task's text; see {@link #bounded}. */
  public static final String TASK_TEXT = "RALPH_TASK_TEXT";

  /** The path of a file with the task's whole text, which exists while the iteration runs. */
  public static final String TASK_FILE = "RALPH_TASK_FILE";

  /** The iteration's number. */
  public static final String ITERATION = "RALPH_ITERATION";

  /** The branch that is checked out in the agent's folder. */
  public static final String BRANCH = "RALPH_BRANCH";

  /** The number of the attempt at the task, from 1. */
  public static final String ATTEMPT = "RALPH_ATTEMPT";

  private static final List<String> NAMES =
      List.of(Turn.AGENT, TASK, TASK_TEXT, TASK_FILE, ITERATION, BRANCH, ATTEMPT);

  /** Linux refuses to start a process with a variable of more than 128 KiB. */
  static final int MOST_BYTES = 8 * 1024;

  private TurnVariables() {}

  /**
   * Adds the variables of a turn to a process of its agent. Removes all other variables of this
   * class, because this program may run in an iteration of another loop.
   */
  public static void addTo(ProcessSpec.Builder spec, Map<String, String> variables) {
    for (String name : NAMES) {
      if (!variables.containsKey(name)) {
        spec.withoutEnvironment(name);
      }
    }
    variables.forEach(spec::environment);
  }

  /**
   * Returns the value of a variable for a text: at most 8,192 bytes in UTF-8, cut between
   * characters. {@code ?} replaces each character that can't be passed to a process.
   */
  public static String bounded(String text) {
    // Each character has at least as many bytes as chars.
    int end = Math.min(text.length(), MOST_BYTES);
    String passable = ProcessSpec.passable(text.substring(0, end));
    int bytes = 0;
    int at = 0;
    while (at < passable.length()) {
      int point = passable.codePointAt(at);
      bytes += bytesOf(point);
      if (bytes > MOST_BYTES) {
        break;
      }
      at += Character.charCount(point);
    }
    return passable.substring(0, at);
  }

  private static int bytesOf(int point) {
    return Character.toString(point).getBytes(StandardCharsets.UTF_8).length;
  }
}
