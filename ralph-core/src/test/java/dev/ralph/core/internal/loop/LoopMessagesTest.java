package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.ToolSettings;
import dev.ralph.Turn;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages to several agents of one loop, some of which are killed. */
@Timeout(300)
class LoopMessagesTest {

  @TempDir Path folder;
  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");

  /** The number of the agent that is killed in its first turn; 0 for none. */
  private int victim;

  @AfterEach
  void close() {
    ralph.close();
  }

  private LoopResult loop(int agents, Agent agent) {
    return session
        .loop(agent)
        .agents(agents)
        .workspaces(places -> places.sharedDirectory())
        .directory(folder)
        .maxIterations(20)
        .doneWhen(now -> true)
        .run();
  }

  private boolean isAlone(Turn turn) {
    return session.iterations().running(turn.agent()).map(Iteration::task).isEmpty();
  }

  private AgentResult complete(Turn turn) {
    session
        .iterations()
        .running(turn.agent())
        .map(Iteration::task)
        .ifPresent(task -> turn.session().tasks().complete(task));
    return AgentResult.success();
  }

  private AgentTools tools(Turn turn) {
    return session.openTools(ToolSettings.STANDARD.agent(turn.agent()).inLoop());
  }

  /** Kills a process as the system does when memory runs out. */
  private static AgentResult killed() throws Exception {
    int code = new ProcessBuilder("sh", "-c", "kill -9 $$").start().waitFor();
    return AgentResult.failure("killed: " + code);
  }

  @Test
  void messageToAll_reachesEachAgentAtWork() {
    session.tasks().add("one");
    session.tasks().add("two");
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch seen = new CountDownLatch(2);
    Map<Integer, String> shown = new ConcurrentHashMap<>();
    LoopResult result =
        loop(
            2,
            turn -> {
              if (isAlone(turn)) {
                return AgentResult.success();
              }
              try (AgentTools tools = tools(turn)) {
                begun.countDown();
                assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                session.inbox().send("hello", "ann", "once");
                shown.put(turn.agent(), tools.call("task_list", "{}").text());
                seen.countDown();
                assertThat(seen.await(60, TimeUnit.SECONDS)).isTrue();
                if (turn.agent() == 2) {
                  tools.call("inbox_mark_read", "{\"id\":\"m1\"}");
                }
                return complete(turn);
              }
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(shown).hasSize(2);
    assertThat(shown.values()).allSatisfy(reply -> assertThat(reply).contains("hello"));
    assertThat(session.inbox().get("m1").readBy()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  void messageOfKilledReader_isReadByNextAgent(int addressee) {
    session.tasks().add("one");
    session.tasks().add("two");
    victim = addressee == 0 || addressee > 2 ? 1 : addressee;
    CountDownLatch begun = new CountDownLatch(2);
    Set<Integer> killed = ConcurrentHashMap.newKeySet();
    LoopResult result =
        loop(
            2,
            turn -> {
              if (isAlone(turn)) {
                assertThat(turn.prompt()).contains("hello");
                turn.session()
                    .inbox()
                    .unread()
                    .forEach(m -> turn.session().inbox().markRead(m.id()));
                return AgentResult.success();
              }
              begun.countDown();
              assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
              if (turn.agent() == victim && killed.add(victim)) {
                session.inbox().send(NewMessage.of("hello").agent(addressee).key("once"));
                AgentTools tools = tools(turn); // never closed: the process is killed
                assertThat(tools.call("task_list", "{}").text()).contains("hello");
                return killed();
              }
              return complete(turn);
            });
    assertThat(killed).containsExactly(victim);
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.inbox().unread()).isEmpty();
    assertThat(session.inbox().get("m1").isRead()).isTrue();
  }
}
