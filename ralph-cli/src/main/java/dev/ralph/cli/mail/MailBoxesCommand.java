package dev.ralph.cli.mail;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph mail boxes}. */
public final class MailBoxesCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return MailCall.common(
        CommandSyntax.of("list the boxes; a box without a receiver is marked as orphaned")
            .limit("newest"));
  }

  @Override
  public void run(Invocation call) {
    MailForm.BOXES.answer(call, MailCall.boxes(call).boxes(), "No boxes");
  }
}
