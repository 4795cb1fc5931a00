package dev.ralph.cli.inbox;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.util.List;

/** {@code ralph inbox}. */
public final class InboxCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the unread messages of a session")
        .session()
        .flag("all", "include read messages")
        .limit("newest")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    boolean all = call.arguments().has("all");
    Inbox inbox = call.view().inbox();
    List<Message> messages = all ? inbox.history() : inbox.unread();
    MessageForm.LISTING.answer(call, messages, all ? "No messages" : "No unread messages");
  }
}
