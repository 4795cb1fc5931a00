package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mailbox;

/** {@code ralph mail show}. */
public final class MailShowCommand implements Command {

  @Override
  public Syntax syntax() {
    return MailCall.own(Syntax.of("show the full text of a mail without receiving").argument("ID"));
  }

  @Override
  public void run(Invocation call) {
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    MailForm.answer(call, box.get(call.arguments().requiredArgument(0)));
  }
}
