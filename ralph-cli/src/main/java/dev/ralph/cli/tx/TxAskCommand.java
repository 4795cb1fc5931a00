package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.NotYetAvailableException;
import dev.ralph.log.RalphException;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;
import java.time.Duration;

/** {@code ralph tx ask}. */
public final class TxAskCommand implements Command {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("ask a TX agent and wait for the answer")
            .argument("TO")
            .optionalArgument("TEXT")
            .value("wait", "TIME", "time to wait (default: 10m)");
    return TxCall.beginning(TxCall.own(TxEnvelope.options(syntax)));
  }

  @Override
  public void run(Invocation call) {
    Duration patience = call.arguments().duration("wait", PATIENCE);
    TxAddress asker = TxCall.caller(call);
    TxMessage question =
        TxMessage.of(TxType.ASK)
            .from(asker)
            .to(TxCall.address("TO", call.arguments().requiredArgument(0)));
    question = TxEnvelope.fill(question, call, call.textOrPiped(1));
    TxFolder folder = TxCall.folderToBegin(call);
    Tx tx =
        Tx.of(
            TxCall.storeToBegin(call),
            folder,
            event -> {
              if (event.why() != null && asker.equals(event.to())) {
                call.warn(TxForm.line(event)); // such as answers from other agents
              }
            });
    call.reportCreation();
    String none = "no answer to " + question.id() + " within this time";
    try {
      TxForm.answer(
          call, tx.ask(question, patience).orElseThrow(() -> new NotYetAvailableException(none)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the wait for an answer");
    }
  }
}
