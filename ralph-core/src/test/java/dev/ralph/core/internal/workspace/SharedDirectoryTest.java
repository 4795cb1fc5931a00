package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several agents in one folder, and their ports. */
class SharedDirectoryTest {

  private static final int BASE = 27_000;

  @TempDir Path folder;

  @Test
  void agents_shareAFolderAndNothingIsMerged() throws Exception {
    try (SharedDirectory shared = new SharedDirectory(folder, BASE)) {
      shared.open();
      assertThat(shared.branch(1)).isNull();
      Workspace first = shared.enter(1, 1, "a");
      shared.keep(first, "work");
      assertThat(first.directory())
          .isEqualTo(folder)
          .isEqualTo(shared.enter(2, 2, "b").directory());
      assertThat(
              shared.merge(
                  List.of(new Piece("a", "b", "", "c")), at -> Verdict.passed(), p -> true))
          .singleElement()
          .satisfies(fate -> assertThat(fate.result().status()).isEqualTo(Status.NOTHING));
      assertThat(shared.check(at -> Verdict.failed(at.toString()), () -> {}).reason())
          .isEqualTo(folder.toString());
    }
  }

  @Test
  void eachAgent_keepsItsOwnPorts() throws Exception {
    SharedDirectory one = new SharedDirectory(folder, BASE);
    try (SharedDirectory other = new SharedDirectory(folder, BASE);
        ServerSocket taken = new ServerSocket()) {
      int first = port(one, 1);
      taken.bind(new InetSocketAddress("127.0.0.1", first + 13));
      List<Integer> ports = List.of(first, port(one, 2), port(other, 1), port(other, 2));
      assertThat(ports).doesNotHaveDuplicates().noneMatch(port -> port == first + 10);
      assertThat(port(one, 1)).isEqualTo(first);
      for (int port : ports) {
        try (ServerSocket server = new ServerSocket()) {
          server.bind(new InetSocketAddress("127.0.0.1", port));
        }
      }
      one.close();
      assertThat(port(other, 3)).isNotIn(ports.subList(2, 4));
    }
    try (SharedDirectory none = new SharedDirectory(folder, 65_530)) {
      assertThatThrownBy(() -> none.enter(1, 1, "a"))
          .hasMessageContaining("set a lower first port");
    }
  }

  private static int port(Workspaces workspaces, int agent) throws Exception {
    return Integer.parseInt(workspaces.enter(agent, agent, "a").variables().get("RALPH_PORT_BASE"));
  }
}
