package dev.ralph.store.postgres;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.core.CommandAgent;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A loop in a process of its own. Arguments: the store's address, a folder, and the agent: {@code
 * ask}, {@code do}, or a shell script.
 */
final class HostedLoop {

  static final Duration LEASE = Duration.ofSeconds(3);

  private static final Duration GRACE = Duration.ofMillis(500);

  private HostedLoop() {}

  public static void main(String[] args) throws Exception {
    Agent agent =
        switch (args[2]) {
          case "ask" -> HostedLoop::ask;
          case "do" -> HostedLoop::work;
          default -> CommandAgent.of("sh", args[2]);
        };
    try (Ralph ralph = Ralph.open(args[0])) {
      say(run(ralph.session("s"), agent, Path.of(args[1])).reason().word());
    }
  }

  private static LoopResult run(Session session, Agent agent, Path folder) {
    try (Loop loop =
        session
            .loop(agent)
            .tools(Tools.mcp(""))
            .directory(folder)
            .standBy(true)
            .waitForAnswers(true)
            .maxIterations(1)
            .lease(LEASE)
            .grace(GRACE)
            .onEvent(HostedLoop::tell)
            .build()) {
      return loop.run();
    }
  }

  private static void tell(LoopEvent event) {
    if (event.type() == LoopEvent.Type.NOTICE) {
      say(event.message());
    }
  }

  private static AgentResult ask(Turn turn) throws Exception {
    turn.session().questions().ask("Which one?");
    new CountDownLatch(1).await();
    return AgentResult.success();
  }

  private static AgentResult work(Turn turn) {
    say(turn.prompt().contains("the blue one") ? "heard" : "heard nothing");
    Session session = turn.session();
    session.inbox().unread().forEach(message -> session.inbox().markRead(message.id()));
    session.tasks().list().open().forEach(task -> session.tasks().complete(task.id()));
    session.control().complete();
    return AgentResult.success();
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
