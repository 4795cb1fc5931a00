package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.mail.tx.TxFolder;
import dev.ralph.mail.tx.TxView;
import java.time.Clock;

/** {@code ralph tx orphans}. */
public final class TxOrphansCommand implements Command {

  @Override
  public Syntax syntax() {
    return TxCall.files(
        Syntax.of("the messages that TX has set aside because nobody was there to get them")
            .limit("newest"));
  }

  @Override
  public int run(Invocation call) {
    TxFolder folder = TxCall.folder(call);
    TxView view = TxView.of(folder, Clock.systemUTC());
    new TxViewForm(folder, false).orphans().answer(call, view.orphans(), "No orphans");
    return ExitCode.DONE;
  }
}
