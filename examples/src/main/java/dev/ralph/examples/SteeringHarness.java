package dev.ralph.examples;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * A harness that steps a loop on its own thread, while an operator sends a message and stops the
 * loop. The operator uses only the log, and may therefore be another process.
 */
public final class SteeringHarness {

  private SteeringHarness() {}

  /** Steers a loop that does not end by itself. */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("ralph-example");
    try (Ralph ralph = Ralph.open(folder.resolve("store"))) {
      Session session = ralph.session("steered");
      CountDownLatch obeyed = new CountDownLatch(1);

      Agent agent =
          turn -> {
            for (Message message : turn.session().inbox().unread()) {
              System.out.println("agent reads: " + message.text());
              turn.session().inbox().markRead(message.id());
              obeyed.countDown();
            }
            return AgentResult.success();
          };

      Thread operator = new Thread(() -> steer(session, obeyed), "operator");
      operator.start();
      try (Loop loop = session.loop(agent).build()) {
        while (loop.step()) {
          // the harness does its own work here, for example heartbeats or other sessions' loops
        }
        System.out.println("the loop ended: " + loop.result().orElseThrow().reason().word());
      }
      operator.join();
    }
  }

  private static void steer(Session session, CountDownLatch obeyed) {
    session.inbox().send("Leave the database alone");
    try {
      obeyed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    session.control().stop("seen enough");
  }
}
