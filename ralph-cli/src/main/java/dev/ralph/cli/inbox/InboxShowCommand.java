package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph inbox show}. */
public final class InboxShowCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show the full text of a message")
        .argument("ID")
        .session()
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Message message = call.view().inbox().get(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("message", "message", MessageForm.whole(message));
    } else {
      call.print(MessageForm.wholeLine(message, call.style()));
    }
  }
}
