package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph message}. */
public final class MessageCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("send a message to the agent of a session, running or not")
        .optionalArgument("TEXT")
        .session()
        .value("by", "WHO", "who sends it")
        .value("key", "KEY", "send it once: what WHO sent under this key before is returned")
        .flag("follow-up", "for the next iteration: the agent at work is not shown it")
        .store();
  }

  @Override
  public void run(Invocation call) {
    String text = call.textOrPiped(0);
    Message message =
        call.sessionOrNew()
            .inbox()
            .send(
                NewMessage.of(text)
                    .by(call.arguments().text("by"))
                    .key(call.arguments().text("key"))
                    .followUp(call.arguments().has("follow-up")));
    if (call.json()) {
      call.answer("message", "message", MessageForm.json(message));
    } else {
      call.print("Message sent: " + message.id());
    }
  }
}
