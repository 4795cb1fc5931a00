package dev.ralph.core.internal.prompt;

import dev.ralph.Task;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of one of several agents, and the other agents of the run.
 *
 * @param agent the agent's number, from 1
 * @param agents the number of agents
 * @param task the agent's task; null if it works alone
 * @param attempt the number of the attempt at the task, from 1
 * @param place the folder and the branch of the agent
 * @param returned the reason why earlier work on the branch was returned; null otherwise
 * @param others the other agents with a task
 */
public record TeamContext(
    int agent,
    int agents,
    @Nullable Task task,
    int attempt,
    Place place,
    @Nullable String returned,
    List<Other> others) {

  /** Creates an assignment; the list is copied. */
  public TeamContext {
    others = List.copyOf(others);
  }

  /** Returns the agent's branch; null in a shared folder. */
  public @Nullable String branch() {
    return place.branch();
  }

  /**
   * The folder and the branch of an agent.
   *
   * @param directory the agent's folder
   * @param branch the agent's branch; null in a shared folder
   * @param target the session's branch; null in a shared folder
   * @param isTakenUp whether the branch has unmerged commits
   * @param own returns the agent's own copy of a file of the project
   */
  public record Place(
      Path directory,
      @Nullable String branch,
      @Nullable String target,
      boolean isTakenUp,
      UnaryOperator<Path> own) {

    /**
     * The length limit of a path. A longer path is shown relative to the agent's folder, and if
     * necessary cut to its end.
     */
    private static final int LONG = 400;

    /** Returns the path of the agent's copy of the spec. */
    String spec(Path file) {
      Path found = own.apply(file);
      String path = found.toString();
      if (path.length() > LONG && found.startsWith(directory)) {
        path = directory.relativize(found).toString();
      }
      return path.length() > LONG
          ? "…" + path.substring(path.length() - LONG) + " (end of a long path)"
          : path;
    }

    /** Returns the path of the agent's folder. */
    String folder() {
      String path = directory.toString();
      return path.length() > LONG ? "the current folder" : path;
    }
  }

  /** A further agent and the assigned task. */
  public record Other(int agent, Task task) {}
}
