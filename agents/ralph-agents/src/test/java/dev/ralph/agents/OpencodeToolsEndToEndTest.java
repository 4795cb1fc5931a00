package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The real opencode with the session's tools, with its server unless a test says otherwise. */
class OpencodeToolsEndToEndTest extends ClientEndToEnd {

  OpencodeToolsEndToEndTest() {
    super(Client.OPENCODE);
  }

  @Test
  void withoutServer_missingToolsEndTurn() throws Exception {
    ClientSandbox sandbox = sandbox();
    OpencodeAgent.Builder alone = ((OpencodeAgent.Builder) sandbox.agent()).withoutServer();
    model.goOnWith(Reply.text("I did what I could."));
    assertToolsMissing(run(alone.tools(NO_TOOLS), turn(sandbox, "hello", LONG)));

    model.goOnWith(Reply.tool(client.sessionTool("echo"), Map.of("text", "me")), Reply.text("ok"));
    AgentResult result = run(alone.tools(TOOLS), turn(sandbox, "hello", LONG));
    assertThat(result.summary()).isEqualTo("ok");
    assertThat(model.turns().get(model.turns().size() - 1).toolResults().get(0))
        .contains("hear: me");
  }
}
