package dev.ralph.chaos;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.CommandAgent;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** A process that runs a loop with several agents until all tasks of the session are merged. */
public final class AgentsHost {

  static final String SESSION = "s";

  private AgentsHost() {}

  /**
   * Runs the loop.
   *
   * @param args the store's address, the repository, the script of an agent, and the number of
   *     agents
   */
  public static void main(String[] args) throws InterruptedException {
    LoopResult result;
    try (Ralph ralph = Ralph.open(args[0])) {
      Session session = ralph.session(SESSION);
      result =
          session
              .loop(turn -> work(turn, args[2]))
              .agents(Integer.parseInt(args[3]))
              .directory(Path.of(args[1]))
              .gate(Gate.of("sh", "gate.sh"))
              .doneWhen(now -> true)
              .maxIterations(0)
              .maxIdle(0)
              .maxFailures(1_000)
              .failurePause(Duration.ofMillis(10))
              .onEvent(System.out::println)
              .run();
    }
    System.exit(result.reason() == StopReason.COMPLETED ? 0 : 1);
  }

  private static AgentResult work(Turn turn, String script) throws Exception {
    Session session = turn.session();
    String id = session.iterations().running(turn.agent()).orElseThrow().task();
    if (id == null) {
      return AgentResult.success();
    }
    Task task = session.tasks().get(id);
    String chance = "" + ThreadLocalRandom.current().nextInt(1_000);
    String again = "";
    while (true) {
      AgentResult result =
          CommandAgent.of("sh", script, "" + task.number(), chance, again).run(turn);
      if (result.outcome() != AgentResult.Outcome.SUCCESS || isComplete(session, id)) {
        return result;
      }
      again = "again";
    }
  }

  /** Completes the task; returns false if its work conflicts with the session's branch. */
  private static boolean isComplete(Session session, String id) {
    try {
      session.tasks().complete(id);
      return true;
    } catch (RalphException e) {
      if (e.code() == RalphException.Code.INVALID
          && String.valueOf(e.getMessage()).contains("conflicts with")) {
        return false;
      }
      throw e;
    }
  }
}
