package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import java.util.List;

/** {@code ralph mail list}. */
public final class MailListCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return MailCall.own(
        CommandSyntax.of("list the unread mail of a box without receiving")
            .flag("all", "include read and expired mail")
            .limit("newest"));
  }

  @Override
  public void run(Invocation call) {
    boolean all = call.arguments().has("all");
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    List<Mail> mails = all ? box.history() : box.unread();
    MailForm.LISTING.answer(call, mails, all ? "No mail" : "No unread mail");
  }
}
