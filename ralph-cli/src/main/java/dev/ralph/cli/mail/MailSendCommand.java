package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.util.List;

/** {@code ralph mail send}. */
public final class MailSendCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("send mail to a box: a name, or session:NAME")
            .argument("TO")
            .optionalArgument("TEXT")
            .values("also", "TO", "an additional recipient; repeatable")
            .value("reply-to", "ID", "the mail that is answered");
    return MailCall.beginning(MailCall.envelope(syntax));
  }

  @Override
  public void run(Invocation call) {
    NewMail mail =
        MailCall.mail(call, call.textOrPiped(1))
            .to(MailCall.recipients(call))
            .replyTo(call.arguments().text("reply-to"));
    Mailboxes boxes = MailCall.boxesToBegin(call);
    String owner = MailCall.ownerIfAny(call);
    List<Mail> sent = owner == null ? boxes.send(mail) : boxes.box(owner).send(mail);
    MailForm.sent(call, mail, sent);
  }
}
