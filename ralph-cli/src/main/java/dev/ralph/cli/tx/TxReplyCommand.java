package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;
import org.jspecify.annotations.Nullable;

/** {@code ralph tx reply}. */
public final class TxReplyCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("answer a TX message, named by msg-id")
            .argument("ID")
            .optionalArgument("TEXT");
    return TxCall.files(TxEnvelope.options(syntax));
  }

  @Override
  public void run(Invocation call) {
    String id = call.arguments().requiredArgument(0);
    String text = call.textOrPiped(1);
    TxFolder folder = TxCall.folder(call);
    TxMessage asked = TxCall.message(folder, id).message();
    TxMessage reply = TxEnvelope.fill(asked.reply(type(asked.type())), call, text);
    TxCall.send(call, folder, reply);
  }

  private static TxType type(@Nullable TxType asked) {
    return asked == TxType.ASK
        ? TxType.ASK_RESPONSE
        : asked == TxType.TASK ? TxType.TASK_COMPLETE : TxType.UPDATE;
  }
}
