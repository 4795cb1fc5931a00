package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxView;
import java.time.Clock;

/** {@code ralph tx thread}. */
public final class TxThreadCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return TxCall.files(
        CommandSyntax.of("show the thread of a TX message: earlier messages and all answers")
            .argument("MSG-ID"));
  }

  @Override
  public void run(Invocation call) {
    TxFolder folder = TxCall.folder(call);
    TxView view = TxView.of(folder, Clock.systemUTC());
    new TxViewForm(folder, false).answer(call, view.thread(call.arguments().requiredArgument(0)));
  }
}
