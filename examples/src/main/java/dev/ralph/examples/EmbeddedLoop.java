package dev.ralph.examples;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import java.nio.file.Files;
import java.nio.file.Path;

/** A loop inside a program. The agent is a lambda, as in a unit test of a harness. */
public final class EmbeddedLoop {

  private EmbeddedLoop() {}

  /** Runs a session with two tasks in a new folder until it is complete. */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("ralph-example");
    try (Ralph ralph = Ralph.open(folder.resolve("store"))) {
      Session session = ralph.session("greeting");
      session.tasks().add("Say hello");
      session.tasks().add("Say goodbye");
      session.inbox().send("In English, please");

      Agent worker =
          turn -> {
            turn.session().inbox().unread().forEach(m -> turn.session().inbox().markRead(m.id()));
            for (Task task : turn.session().tasks().ready()) {
              turn.output("doing " + task.content());
              turn.session().tasks().complete(task.id());
              return AgentResult.success().summary("did t" + task.number());
            }
            turn.session().control().complete();
            return AgentResult.success().summary("all done");
          };

      LoopResult result = session.loop(worker).maxIterations(5).onEvent(System.out::println).run();
      System.out.println(result);
    }
  }
}
