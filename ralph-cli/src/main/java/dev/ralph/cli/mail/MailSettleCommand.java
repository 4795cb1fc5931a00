package dev.ralph.cli.mail;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Received;

/** {@code ralph mail ack}, {@code ralph mail release} and {@code ralph mail renew}. */
public final class MailSettleCommand implements Command {

  /** An action on a mail that requires the token of its lease. */
  public enum Act {
    ACK("acknowledge a received mail: it is not delivered again"),
    RELEASE("release a received mail for redelivery"),
    RENEW("renew the lease of a received mail");

    private final String summary;

    Act(String summary) {
      this.summary = summary;
    }
  }

  private final Act act;

  public MailSettleCommand(Act act) {
    this.act = act;
  }

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of(act.summary)
            .argument("ID")
            .value("token", "TOKEN", "the token of the receipt");
    return MailCall.own(act == Act.RENEW ? MailCall.lease(syntax) : syntax);
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    String ref = arguments.requiredArgument(0);
    String token = arguments.required("token");
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    switch (act) {
      case ACK -> MailForm.done(call, box.ack(ref, token), "acknowledged");
      case RELEASE -> MailForm.done(call, box.release(ref, token), "released");
      case RENEW -> {
        Received renewed = box.renew(ref, token, MailCall.lease(call));
        MailForm.done(
            call, renewed.mail(), "is reserved for you until " + MailForm.time(renewed.until()));
      }
    }
  }
}
