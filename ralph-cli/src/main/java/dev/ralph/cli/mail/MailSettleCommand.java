package dev.ralph.cli.mail;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Received;

/** {@code ralph mail ack}, {@code ralph mail release} and {@code ralph mail renew}. */
public final class MailSettleCommand implements Command {

  /** An action on a mail that requires the token of its lease. */
  public enum Act {
    ACK("acknowledge a mail that you received: it does not come again"),
    RELEASE("give a mail back that you received, for anybody to receive"),
    RENEW("keep a mail that you received for longer, from now on");

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
  public Syntax syntax() {
    Syntax syntax = Syntax.of(act.summary).argument("ID").value("token", "TOKEN", "its receipt's");
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
      case RELEASE -> MailForm.done(call, box.release(ref, token), "given back");
      case RENEW -> {
        Received renewed = box.renew(ref, token, MailCall.lease(call));
        MailForm.done(call, renewed.mail(), "is yours until " + MailForm.time(renewed.until()));
      }
    }
  }
}
