package dev.ralph.cli.agent;

import dev.ralph.Control.RunningLoop;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.ChangeSession;

/** {@code ralph agent session flush} and {@code ralph agent session end}. */
public final class AgentSessionEndCommand implements Command {

  private final boolean writesLearnings;

  /**
   * @param writesLearnings whether to write the learnings to design.md
   */
  public AgentSessionEndCommand(boolean writesLearnings) {
    this.writesLearnings = writesLearnings;
  }

  @Override
  public CommandSyntax syntax() {
    return AgentCall.own(
        CommandSyntax.of(
            writesLearnings
                ? "write the learnings to design.md and end the session"
                : "end the session and keep the learnings in the log"));
  }

  @Override
  public void run(Invocation call) {
    ChangeSession work = AgentCall.session(call);
    AgentCall.requireNoLoop(work, RunningLoop::live, "ends the session after the last story");
    int written = 0;
    if (writesLearnings) {
      written = work.flush();
    } else {
      work.end();
    }
    AgentForm.ended(call, written);
  }
}
