package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import java.util.List;

/** {@code ralph mail thread}. */
public final class MailThreadCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return MailCall.own(
        CommandSyntax.of("show the thread of a mail: earlier mail and all answers")
            .argument("ID")
            .limit("newest"));
  }

  @Override
  public void run(Invocation call) {
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    List<Mail> thread = box.thread(call.arguments().requiredArgument(0));
    MailForm.across(box.name()).answer(call, thread, "No mail");
  }
}
