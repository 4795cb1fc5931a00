package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mailbox;

/** {@code ralph mail thread}. */
public final class MailThreadCommand implements Command {

  @Override
  public Syntax syntax() {
    return MailCall.own(
        Syntax.of("a mail with all that led to it and all that answers it")
            .argument("ID")
            .limit("newest"));
  }

  @Override
  public int run(Invocation call) {
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    MailForm.LISTING.answer(call, box.thread(call.arguments().requiredArgument(0)), "No mail");
    return ExitCode.DONE;
  }
}
