package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mailbox;

/** {@code ralph mail show}. */
public final class MailShowCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return MailCall.own(
        CommandSyntax.of("show the full text of a mail without receiving").argument("ID"));
  }

  @Override
  public void run(Invocation call) {
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    MailForm.answer(call, box.get(call.arguments().requiredArgument(0)));
  }
}
