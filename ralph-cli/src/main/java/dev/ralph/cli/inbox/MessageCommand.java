package dev.ralph.cli.inbox;

import dev.ralph.Control;
import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph message}. */
public final class MessageCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("send a message to the agents of a session, even if no loop runs")
        .optionalArgument("TEXT")
        .session()
        .value("by", "WHO", "author of the message")
        .value(
            "key", "KEY", "send only once: returns the message that WHO sent with this key before")
        .value("agent", "N", "send to agent N only; to all agents if the loop has no agent N")
        .flag("follow-up", "deliver with the next iteration, not to the running iteration")
        .store();
  }

  @Override
  public void run(Invocation call) {
    String text = call.textOrPiped(0);
    int agent = call.arguments().number("agent", 0, 1, Integer.MAX_VALUE);
    Session session = call.sessionOrNew();
    Message message =
        session
            .inbox()
            .send(
                NewMessage.of(text)
                    .by(call.arguments().text("by"))
                    .key(call.arguments().text("key"))
                    .agent(agent)
                    .followUp(call.arguments().has("follow-up")));
    if (agent > agents(session)) {
      call.warn("note: the loop has no agent " + agent + "; the message goes to all of its agents");
    }
    if (call.json()) {
      call.answer("message", "message", MessageForm.json(message));
    } else {
      call.print("Message sent: m" + message.number());
    }
  }

  /**
   * Returns the number of agents of the running loop, or the maximum integer without a running
   * loop.
   */
  private static int agents(Session session) {
    return session
        .control()
        .running()
        .filter(Control.RunningLoop::live)
        .map(Control.RunningLoop::agents)
        .orElse(Integer.MAX_VALUE);
  }
}
