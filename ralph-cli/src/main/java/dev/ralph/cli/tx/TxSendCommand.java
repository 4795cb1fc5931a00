package dev.ralph.cli.tx;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.NotFoundException;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;

/** {@code ralph tx send}. */
public final class TxSendCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("send a message to a TX agent")
            .argument("TO")
            .optionalArgument("TEXT")
            .value("type", "WORD", "the type of the message (default: task)")
            .value("in-reply-to", "ID", "the msg-id of the answered message")
            .value(
                "requester",
                "ADDRESS",
                "the requester (default: requester of the answered message, or you)");
    return TxCall.files(TxCall.own(TxEnvelope.options(syntax)));
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    String type = arguments.text("type");
    TxMessage message =
        TxMessage.of(type == null ? TxType.TASK : TxCall.type(type))
            .from(TxCall.caller(call))
            .to(TxCall.address("TO", arguments.requiredArgument(0)));
    String requester = arguments.text("requester");
    message =
        requester == null ? message : message.requester(TxCall.address("--requester", requester));
    message = TxEnvelope.fill(message, call, call.textOrPiped(1));
    String answered = arguments.text("in-reply-to");
    TxFolder folder = TxCall.folderToBegin(call);
    message = answered == null ? message : answering(call, folder, message, answered);
    TxCall.send(call, folder, message);
  }

  /**
   * Makes a message an answer with the requester of the answered message. The answered message may
   * be missing, for example deleted or in another folder; in this case a given requester suffices.
   */
  private static TxMessage answering(
      Invocation call, TxFolder folder, TxMessage message, String answered) {
    TxMessage answer = message.inReplyTo(answered);
    String name = "-" + answered + ".";
    if (message.requester() != null && folder.names().stream().anyMatch(n -> n.contains(name))) {
      return answer; // probably the answered message, without reading a file
    }
    try {
      TxAddress requester = TxCall.message(folder, answered).message().requester();
      return message.requester() != null || requester == null
          ? answer
          : answer.requester(requester);
    } catch (NotFoundException e) {
      String missing = "--in-reply-to: " + e.getMessage();
      if (message.requester() == null) {
        throw new UsageException(missing + "; to send without it, also give --requester");
      }
      call.warn(SafeText.line(missing));
      return answer;
    }
  }
}
