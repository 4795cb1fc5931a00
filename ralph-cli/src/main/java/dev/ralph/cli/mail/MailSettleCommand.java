package dev.ralph.cli.mail;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.Mailbox;

/** {@code ralph mail ack} and {@code ralph mail release}. */
public final class MailSettleCommand implements Command {

  private final boolean acknowledges;

  /**
   * Makes the command.
   *
   * @param acknowledges false to give a mail back
   */
  public MailSettleCommand(boolean acknowledges) {
    this.acknowledges = acknowledges;
  }

  @Override
  public Syntax syntax() {
    String summary =
        acknowledges
            ? "acknowledge a mail that you received: it does not come again"
            : "give a mail back that you received, for anybody to receive";
    return MailCall.own(Syntax.of(summary).argument("ID").value("token", "TOKEN", "its receipt's"));
  }

  @Override
  public int run(Invocation call) {
    Arguments arguments = call.arguments();
    String ref = arguments.requiredArgument(0);
    String token = arguments.required("token");
    Mailbox box = MailCall.box(call, MailCall.boxes(call));
    if (acknowledges) {
      MailForm.done(call, box.ack(ref, token), "acknowledged");
    } else {
      MailForm.done(call, box.release(ref, token), "given back");
    }
    return ExitCode.DONE;
  }
}
