package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import java.time.Duration;
import java.util.List;

/** {@code ralph mail watch}. */
public final class MailWatchCommand implements Command {

  private static final Duration FOR_EVER = Duration.ofDays(100 * 365);

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax = CommandSyntax.of("print mail as it arrives in a box, without receiving");
    return MailCall.beginning(MailCall.waiting(syntax, "end after this time without mail"));
  }

  @Override
  public void run(Invocation call) {
    Duration patience = call.arguments().duration("wait", FOR_EVER);
    Mailbox box = MailCall.box(call, MailCall.boxesToBegin(call));
    call.reportCreation();
    int seen = box.history().size();
    try {
      while (true) {
        List<Mail> news = box.await(seen, patience);
        if (news.isEmpty()) {
          return;
        }
        for (Mail mail : news) {
          call.print(call.json() ? MailForm.json(mail).json() : MailForm.line(mail, call.style()));
        }
        call.environment().out().flush();
        seen += news.size();
      }
    } catch (InterruptedException e) {
      throw MailCall.interrupted();
    }
  }
}
