package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims of completion just after a message was shown by other means than a tool. */
class SessionCompleteWaitTest {

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final int ITERATION = 3;

  /** Runs when a caller starts to wait for new frames. */
  private Runnable onceWaitedFor = () -> {};

  private final Ralph ralph =
      Ralph.over(
          new ForwardingStore(new MemoryStoreProvider().open(StoreConfig.in(null))) {
            @Override
            public Follower follow(Query query) {
              Follower follower = super.follow(query);
              onceWaitedFor.run();
              return follower;
            }
          });
  private final Session session = ralph.session("s");
  private final AgentTools tools =
      session.openTools(ToolSettings.STANDARD.inLoop().iteration(ITERATION));

  @BeforeEach
  void sendAMessage() {
    session.inbox().send("Use port 8080");
  }

  @AfterEach
  void close() {
    tools.close();
    ralph.close();
  }

  private void show(int iteration) {
    assertThat(
            AgentInbox.of(session)
                .deliver(new AgentInbox.Call("other", "1", Set.of(), iteration), LEASE))
        .hasSize(1);
  }

  private AgentTools.Result complete() {
    return tools.call("session_complete", "");
  }

  @Test
  void messageMarkedWhileWaiting_allowsCompletion() {
    show(ITERATION);
    onceWaitedFor =
        () ->
            AgentInbox.of(session)
                .acknowledge(
                    new AgentInbox.Call("other", "2", Set.of("1"), ITERATION),
                    List.of(session.inbox().get("m1").id()));

    AgentTools.Result result = complete();

    assertThat(result.isError()).as(result.text()).isFalse();
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void unmarkedMessage_blocksCompletion() {
    show(ITERATION);
    assertThat(complete().text()).contains("the session is not complete", "Use port 8080");
  }

  @Test
  void messageOfLaterIteration_isNotWaitedFor() {
    show(ITERATION + 1);
    onceWaitedFor =
        () -> {
          throw new AssertionError("waited");
        };
    assertThat(complete().text()).contains("the session is not complete", "Use port 8080");
  }
}
