package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.test.TestTurn;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs the real Codex. */
class CodexEndToEndTest extends ProgramEndToEnd {

  CodexEndToEndTest() {
    super(Client.CODEX);
  }

  @Test
  void sandbox_allowsCommitAndNoOutsideWrite() throws Exception {
    ClientSandbox sandbox = sandbox();
    Path repository = Files.createDirectory(folder.resolve("a repository"));
    Process init = new ProcessBuilder("git", "-C", repository.toString(), "init", "-q").start();
    assertThat(init.waitFor()).isZero();
    model.goOnWith(
        client.shell(
            "git config user.name A; git config user.email a@localhost; date >new; git add new; git"
                + " commit -qm 'A commit' && git log -1 --format=%s; touch '"
                + System.getProperty("user.home")
                + "/ralph-was-here'"),
        Reply.text("ok"));
    TestTurn turn =
        TestTurn.inMemory()
            .prompt("hello")
            .directory(repository)
            .processMark(mark.text())
            .timeLimit(LONG);

    assertThat(run(sandbox.agent().tools(TOOLS), turn).summary()).isEqualTo("ok");

    String said = model.turns().get(1).toolResults().get(0);
    assertThat(said).contains("A commit").containsAnyOf("Read-only file system", "denied");
  }
}
