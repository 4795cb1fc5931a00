package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph inbox read}. */
public final class InboxReadCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("mark a message as read").argument("ID").session().store();
  }

  @Override
  public int run(Invocation call) {
    Message message = call.session().inbox().markRead(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("message", "message", MessageForm.json(message));
    } else {
      call.print("Message " + message.id() + " marked as read");
    }
    return ExitCode.DONE;
  }
}
