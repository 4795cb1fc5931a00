package dev.ralph.benchmarks;

import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.CommandAgent;
import dev.ralph.tool.Tools;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counts the iterations of four agents for twelve tasks that all edit one file, and the agents that
 * work at once. The agent is a script that appends a line, completes its task, and merges and tries
 * again where that is refused.
 */
final class SharedFileSpeed {

  private static final int TASKS = 12;
  private static final int AGENTS = 4;

  /** Arguments: the command {@code ralph}, the seconds of work, and the tasks that share a file. */
  private static final String SCRIPT =
      """
      cat >/dev/null
      case ${RALPH_TASK:-} in '') exit 0 ;; esac
      file=own-$RALPH_TASK
      case " $3 " in *" $RALPH_TASK "*) file=shared ;; esac
      sleep "$2"
      echo "line of $RALPH_TASK" >>"$file"
      git add --all && git commit --quiet --message "Work on $RALPH_TASK"
      until "$1" task done "$RALPH_TASK"; do
        git merge --quiet "ralph/$RALPH_SESSION" || {
          grep -v '^[<=>|]\\{7\\}' shared >shared.new
          mv shared.new shared
          git add --all && git commit --quiet --message merged
        }
      done
      """;

  private SharedFileSpeed() {}

  /**
   * Prints both figures for all tasks on the shared file, and for half of them.
   *
   * @param arguments the absolute path of the command {@code ralph}, and the seconds of work per
   *     task
   */
  public static void main(String[] arguments) throws Exception {
    measure("all tasks on one file", 1, arguments);
    measure("half of the tasks on one file", 2, arguments);
  }

  private static void measure(String what, int step, String... arguments) throws Exception {
    Path directory = Logs.directory().resolve("shared-file-" + step);
    Logs.delete(directory);
    Path repository = AgentsSpeed.repository(directory);
    Path script = Files.writeString(directory.resolve("agent.sh"), SCRIPT);
    StringBuilder shared = new StringBuilder();
    for (int i = 1; i <= TASKS; i += step) {
      shared.append(" t").append(i);
    }
    CommandAgent agent =
        CommandAgent.of(
            "sh", script.toString(), arguments[0], arguments[1], shared.toString().strip());
    try (Ralph ralph = Ralph.open(directory.resolve("store"))) {
      Session session = ralph.session("speed");
      for (int i = 1; i <= TASKS; i++) {
        session.tasks().add("task " + i);
      }
      Busy busy = new Busy();
      LoopResult result =
          session
              .loop(agent)
              .agents(AGENTS)
              .directory(repository)
              .tools(Tools.commands(Path.of(arguments[0])))
              .maxIterations(10 * TASKS)
              .doneWhen(now -> true)
              .onEvent(busy::count)
              .run();
      System.out.printf(
          "%s: %d iterations for %d tasks, %.1f of %d agents busy, %s%n",
          what, result.iterations(), TASKS, busy.average(), AGENTS, result.reason());
    }
  }

  /** Computes the average number of running iterations until the last task is assigned. */
  private static final class Busy {
    private int running;
    private int begun;
    private long since;
    private long first;
    private double sum;
    private double average;

    private synchronized void count(LoopEvent event) {
      boolean begins = event.type() == LoopEvent.Type.ITERATION_STARTED;
      if (!begins && event.type() != LoopEvent.Type.ITERATION_ENDED) {
        return;
      }
      long now = System.nanoTime();
      first = begun == 0 ? now : first;
      sum += begun == 0 ? 0 : (double) running * (now - since);
      since = now;
      running += begins ? 1 : -1;
      begun += begins ? 1 : 0;
      if (begins && begun == TASKS) {
        average = sum / Math.max(1, now - first);
      }
    }

    private synchronized double average() {
      return average;
    }
  }
}
