package dev.ralph.core.internal.loop.agent;

import dev.ralph.Task;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.TurnVariables;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment variables of one iteration. The first call of {@link #all} writes the file with
 * the task's text, and {@link #close} deletes it. Safe for use by many threads.
 */
final class IterationVariables implements AutoCloseable {

  private final int iteration;
  private final @Nullable String branch;
  private final @Nullable Task task;
  private final int attempt;
  private @Nullable PrivateFolder folder;
  private boolean isClosed;

  private IterationVariables(
      int iteration, @Nullable String branch, @Nullable Task task, int attempt) {
    this.iteration = iteration;
    this.branch = branch;
    this.task = task;
    this.attempt = attempt;
  }

  /**
   * Returns the variables of an iteration in an agent's folder.
   *
   * @param team the agent's assignment; null if it is the loop's only agent
   */
  static IterationVariables of(int iteration, Path directory, @Nullable TeamContext team) {
    String assigned = team == null ? null : team.branch();
    String branch = assigned == null ? GitHead.of(directory).branch() : assigned;
    return team == null
        ? new IterationVariables(iteration, branch, null, 0)
        : new IterationVariables(iteration, branch, team.task(), team.attempt());
  }

  /**
   * Returns the variables by name.
   *
   * @throws RalphException IO if the file with the task's text can't be written
   */
  synchronized Map<String, String> all() {
    Map<String, String> all = new HashMap<>();
    all.put(TurnVariables.ITERATION, Integer.toString(iteration));
    if (branch != null) {
      all.put(TurnVariables.BRANCH, TurnVariables.bounded(branch));
    }
    if (task != null) {
      all.put(TurnVariables.TASK, "t" + task.number());
      all.put(TurnVariables.ATTEMPT, Integer.toString(attempt));
      String text = task.content();
      all.put(TurnVariables.TASK_TEXT, TurnVariables.bounded(text));
      if (!isClosed) {
        all.put(TurnVariables.TASK_FILE, file(text).toString());
      }
    }
    return all;
  }

  private Path file(String text) {
    try {
      PrivateFolder own = folder == null ? PrivateFolder.create() : folder;
      Path file = own.file("task.md");
      if (folder == null) {
        folder = own;
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
      }
      return file;
    } catch (IOException e) {
      throw RalphException.io(
          "can't write the task's text to a temporary file: "
              + e.getMessage()
              + "; free space in "
              + System.getProperty("java.io.tmpdir"),
          e);
    }
  }

  /** Deletes the file with the task's text. */
  @Override
  public synchronized void close() {
    isClosed = true;
    if (folder != null) {
      folder.close();
      folder = null;
    }
  }
}
