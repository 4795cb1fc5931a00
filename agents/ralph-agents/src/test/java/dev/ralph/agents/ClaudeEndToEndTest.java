package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.agents.ClientSandbox.Client;
import org.junit.jupiter.api.Test;

/** Runs the real Claude Code. */
class ClaudeEndToEndTest extends ProgramEndToEnd {

  ClaudeEndToEndTest() {
    super(Client.CLAUDE);
  }

  @Test
  void tooLongPrompt_isFatal() throws Exception {
    ClientSandbox sandbox = sandbox();

    AgentResult result =
        run(sandbox.agent().tools(TOOLS), turn(sandbox, "word ".repeat(600_000), LONG));

    assertThat(result.cause()).isEqualTo(Cause.PROMPT_TOO_LONG);
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
  }
}
