package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.log.ClosedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentStoreTest {

  @TempDir Path folder;

  /** A memory store that reports a server as its location. */
  private static final class OnServer extends ForwardingStore {

    OnServer() {
      super(new MemoryStoreProvider().open(StoreConfig.in(null)));
    }

    @Override
    public StoreInfo info() {
      StoreInfo info = super.info();
      return new StoreInfo(
          info.storeId(),
          "postgres",
          "postgres://db.example/team",
          EnumSet.of(Capability.MULTI_PROCESS, Capability.ERASES),
          info.maxContentBytes(),
          info.maxBatchFrames());
    }
  }

  @Test
  void serverStore_isReachableForAgentsOfLoop() throws Exception {
    List<String> addresses = new ArrayList<>();
    Agent agent =
        turn -> {
          String address = turn.variables().get("RALPH_STORE");
          addresses.add(address);
          try (Ralph reached = Ralph.open(address)) { // as the agent's commands do
            Task task = reached.session("a").tasks().list().open().get(0);
            reached.session("a").tasks().complete(task.id());
          }
          return AgentResult.success();
        };
    try (Ralph ralph = Ralph.over(new OnServer())) {
      ralph.session("a").tasks().add("one");
      ralph.session("a").tasks().add("two");
      try (Loop loop =
          ralph.session("a").loop(agent).prompt("x").directory(folder).maxIterations(2).build()) {
        assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      }
      assertThat(ralph.session("a").tasks().list().open()).isEmpty();
      assertThat(ralph.agentStore().location()).isEqualTo(addresses.get(0));
      assertThat(ralph.agentStore().storeId()).isEqualTo(ralph.log().info().storeId());
    }
    assertThat(addresses).hasSize(2).allMatch(each -> each.equals(addresses.get(0)));
    assertThatThrownBy(() -> Ralph.open(addresses.get(0))).isInstanceOf(NotFoundException.class);
  }

  @Test
  void servedStore_isPassedOnByItsClient() {
    try (Ralph ralph = Ralph.over(new OnServer());
        Ralph reached = Ralph.open(ralph.agentStore().location())) {
      assertThat(reached.agentStore()).isEqualTo(ralph.agentStore());
    }
  }

  @Test
  void localStore_isReachedDirectly() {
    Ralph ralph = Ralph.inMemory();
    assertThat(ralph.agentStore()).isEqualTo(ralph.log().info());
    ralph.close();
    assertThatThrownBy(ralph::agentStore).isInstanceOf(ClosedException.class);
  }
}
