package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;

class TreeHolderTest {

  @Test
  void aTreeOfThatNameOnAnotherMachineIsAnother() throws Exception {
    Process builder = new ProcessBuilder("sleep", "600").start();
    try (Ralph ralph = Ralph.inMemory()) {
      take(ralph, ProcessIdentity.of(builder.toHandle()));
      take(ralph, new ProcessIdentity("elsewhere", 7, 0));

      assertThatThrownBy(() -> TreeHolder.take(ralph, "tree"))
          .isInstanceOf(ContendedException.class)
          .hasMessageContaining("in process " + builder.pid());

      builder.destroy();
      builder.waitFor();
      TreeHolder.take(ralph, "tree");
    } finally {
      builder.destroyForcibly();
    }
  }

  private static void take(Ralph ralph, ProcessIdentity process) {
    Topic topic = Topic.of("worktree").child("tree");
    ralph.append(List.of(Draft.of(topic, process.in(Meta.of("action", "take")))), Durability.SYNC);
  }
}
