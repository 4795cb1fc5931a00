package dev.ralph.cli.inbox;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph inbox read}. */
public final class InboxReadCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("mark messages as read").arguments("ID").session().store();
  }

  @Override
  public void run(Invocation call) {
    Inbox inbox = call.session().inbox();
    List<String> refs = call.arguments().all();
    for (String ref : refs) {
      inbox.get(ref); // validates all references before the first change
    }
    List<Meta> read = new ArrayList<>();
    for (String ref : refs) {
      Message message = inbox.markRead(ref);
      read.add(MessageForm.json(message));
      if (!call.json()) {
        call.print("Message m" + message.number() + " marked as read");
      }
    }
    if (call.json() && read.size() == 1) {
      call.answer("message", "message", read.get(0));
    } else if (call.json()) {
      call.answer("inbox", "messages", read);
    }
  }
}
