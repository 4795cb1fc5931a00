package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Received;
import java.time.Duration;

/** {@code ralph mail receive}. */
public final class MailReceiveCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of(
            "receive a mail and hold it until acknowledgement or the end of the lease");
    MailCall.lease(syntax)
        .flag("ack", "acknowledge immediately: the mail is not redelivered after a failure");
    return MailCall.beginning(MailCall.waiting(syntax, "time to wait for a mail (default: none)"));
  }

  @Override
  public void run(Invocation call) {
    Duration patience = MailCall.patience(call);
    Duration lease = MailCall.lease(call);
    Mailbox box = MailCall.box(call, MailCall.boxesToBegin(call));
    call.reportCreation();
    Received received;
    try {
      received =
          box.receive(lease, patience)
              .orElseThrow(() -> MailCall.none("no mail for " + box.name(), patience));
    } catch (InterruptedException e) {
      throw MailCall.interrupted();
    }
    boolean acknowledges = call.arguments().has("ack");
    try {
      MailForm.answer(call, received, acknowledges);
      call.environment().out().flush();
    } catch (OutputException e) {
      releaseUnprinted(call, received);
      throw e;
    }
    if (acknowledges) {
      received.ack();
    }
  }

  /** Releases a mail whose token could not be printed and is therefore lost. */
  private static void releaseUnprinted(Invocation call, Received received) {
    call.exitWith(ExitCode.FAILED);
    String outcome;
    try {
      outcome = received.release().ref() + " was released";
    } catch (RalphException e) {
      outcome = received.mail().ref() + " could not be released: " + e.getMessage();
    }
    call.warn("the output was closed before the mail was written; " + outcome);
  }
}
