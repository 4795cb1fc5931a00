package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import java.util.List;

/** {@code ralph mail list}. */
public final class MailListCommand implements Command {

  @Override
  public Syntax syntax() {
    return MailCall.own(
        Syntax.of("the mails in a box that are neither read nor expired; receives none")
            .flag("all", "the others as well")
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
