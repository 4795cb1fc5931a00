package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Received;
import java.time.Duration;

/** {@code ralph mail receive}. */
public final class MailReceiveCommand implements Command {

  @Override
  public Syntax syntax() {
    Syntax syntax =
        Syntax.of("receive a mail, which is yours until you acknowledge it or the lease ends")
            .value("lease", "TIME", "for how long nobody else receives it; 10m")
            .flag("ack", "acknowledge it at once: it does not come again if you fail");
    return MailCall.own(MailCall.waiting(syntax, "wait so long for one if there is none"));
  }

  @Override
  public int run(Invocation call) {
    Duration patience = MailCall.patience(call);
    Duration lease = MailCall.lease(call);
    Mailbox box = MailCall.box(call, MailCall.boxesToBegin(call));
    call.tellNews();
    Received received;
    try {
      received =
          box.receive(lease, patience)
              .orElseThrow(() -> MailCall.none("there is no mail for " + box.name(), patience));
    } catch (InterruptedException e) {
      throw MailCall.interrupted();
    }
    MailForm.answer(call, received);
    if (call.arguments().has("ack")) {
      call.environment().out().flush(); // what nobody could read comes again
      received.ack();
    }
    return ExitCode.DONE;
  }
}
