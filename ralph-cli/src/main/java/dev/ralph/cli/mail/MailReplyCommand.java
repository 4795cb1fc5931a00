package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.NewMail;
import java.util.List;

/** {@code ralph mail reply}. */
public final class MailReplyCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("answer a mail")
            .argument("ID")
            .optionalArgument("TEXT")
            .value("token", "TOKEN", "the token of the receipt: also acknowledges the mail");
    return MailCall.own(MailCall.envelope(syntax));
  }

  @Override
  public void run(Invocation call) {
    String ref = call.arguments().requiredArgument(0);
    NewMail answer = MailCall.mail(call, call.textOrPiped(1));
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    Mail sent = box.reply(ref, call.arguments().text("token"), answer);
    MailForm.sent(call, answer, List.of(sent));
  }
}
