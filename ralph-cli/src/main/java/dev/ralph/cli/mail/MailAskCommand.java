package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.NewMail;
import java.time.Duration;

/** {@code ralph mail ask}. */
public final class MailAskCommand implements Command {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("send mail and wait for the answer")
            .argument("TO")
            .optionalArgument("TEXT")
            .values("also", "TO", "an additional recipient; the first answer counts; repeatable");
    return MailCall.beginning(
        MailCall.envelope(MailCall.waiting(syntax, "time to wait (default: 10m)")));
  }

  @Override
  public void run(Invocation call) {
    Duration patience = call.arguments().duration("wait", PATIENCE);
    NewMail mail = MailCall.mail(call, call.textOrPiped(1)).to(MailCall.recipients(call));
    String owner = MailCall.owner(call);
    Mailbox box = MailCall.boxesToBegin(call).box(owner);
    call.reportCreation();
    try {
      Mail answer = box.ask(mail, patience).orElseThrow(() -> MailCall.none("no answer", patience));
      MailForm.answer(call, answer);
    } catch (InterruptedException e) {
      throw MailCall.interrupted();
    }
  }
}
