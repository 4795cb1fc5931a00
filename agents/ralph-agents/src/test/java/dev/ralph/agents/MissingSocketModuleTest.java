package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.core.CommandAgent;
import dev.ralph.log.RalphException;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loops over a store of the host, in a program without {@code ralph-store-socket}. */
class MissingSocketModuleTest {

  @TempDir Path folder;

  private Ralph hosted() {
    return Ralph.over(new FileStoreProvider().open(StoreConfig.in(folder.resolve("store"))));
  }

  private Loop.Builder loop(Ralph ralph, Agent agent) {
    return ralph.session("a").loop(agent).prompt("x").directory(folder).maxIterations(1);
  }

  @Test
  void missingSocketModule_isNamed() {
    try (Ralph ralph = hosted()) {
      Loop.Builder loop = loop(ralph, CommandAgent.of("true")).tools(Tools.mcp(""));
      assertThatThrownBy(loop::build)
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.UNSUPPORTED))
          .hasMessageContaining("add the dependency dev.ralph:ralph-store-socket");
      assertThat(ralph.hasSession("a")).isFalse();
    }
  }

  @Test
  void locationOfHostedStore_isNeverGivenInstead() throws Exception {
    try (Ralph ralph = hosted();
        Loop loop =
            loop(ralph, turn -> AgentResult.failure(turn.variables().toString()))
                .maxFailures(1)
                .build()) {
      loop.run();
      assertThat(ralph.session("a").iterations().list().get(0).summary())
          .contains("ralph-store-socket");
    }
  }

  @Test
  void agentInTheProgram_needsNoSocketModule() throws Exception {
    try (Ralph ralph = hosted();
        Loop loop =
            loop(
                    ralph,
                    turn -> {
                      assertThat(turn.prompt()).contains("- Store: not available to processes");
                      return AgentResult.success();
                    })
                .build()) {
      assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }
  }
}
