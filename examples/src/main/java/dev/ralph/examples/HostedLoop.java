package dev.ralph.examples;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A loop in a program, with the program's threads, gates and event listener. */
public final class HostedLoop {

  private HostedLoop() {}

  /** Runs an agent until its folder contains no TODO file. */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("ralph-example");
    Path todo = Files.writeString(folder.resolve("TODO"), "write the parser\n");
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Ralph ralph = Ralph.open(folder.resolve("store"))) {
      Session session = ralph.session("hosted");

      Agent hasty =
          turn -> {
            if (turn.prompt().contains("a TODO is left")) {
              Files.delete(todo);
            }
            turn.session().control().complete();
            return AgentResult.success();
          };

      LoopResult result =
          session
              .loop(hasty)
              .directory(folder)
              .gate(
                  Gate.named(
                      "no TODOs",
                      context ->
                          Files.exists(context.directory().resolve("TODO"))
                              ? Verdict.failed("a TODO is left")
                              : Verdict.passed()))
              .executor(threads)
              .onEvent(HostedLoop::report)
              .run();

      System.out.println("the loop ended: " + result);
    } finally {
      threads.shutdown();
    }
  }

  private static void report(LoopEvent event) {
    if (event instanceof LoopEvent.GateEnded gate) {
      System.out.println(gate.session() + ": " + gate.gate().name() + " " + gate.verdict());
    } else if (event instanceof LoopEvent.IterationEnded ended) {
      System.out.println(ended.session() + ": " + ended.status().word());
    }
  }
}
