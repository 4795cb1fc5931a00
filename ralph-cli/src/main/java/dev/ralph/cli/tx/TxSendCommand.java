package dev.ralph.cli.tx;

import dev.ralph.NotFoundException;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.text.SafeText;
import dev.ralph.mail.tx.TxFile;
import dev.ralph.mail.tx.TxFolder;
import dev.ralph.mail.tx.TxMessage;
import dev.ralph.mail.tx.TxType;

/** {@code ralph tx send}. */
public final class TxSendCommand implements Command {

  @Override
  public Syntax syntax() {
    Syntax syntax =
        Syntax.of("write a message to an agent of TX")
            .argument("TO")
            .optionalArgument("TEXT")
            .value("type", "WORD", "what it is for; task if not given")
            .value("in-reply-to", "ID", "the msg-id of the message that it answers")
            .value("requester", "ADDRESS", "on whose behalf; you, if it answers nothing");
    return TxCall.files(TxCall.own(TxEnvelope.options(syntax)));
  }

  @Override
  public int run(Invocation call) {
    Arguments arguments = call.arguments();
    String type = arguments.text("type");
    TxMessage message =
        TxMessage.of(type == null ? TxType.TASK : TxCall.type(type))
            .from(TxCall.caller(call))
            .to(TxCall.address("TO", arguments.requiredArgument(0)));
    String answered = arguments.text("in-reply-to");
    message = answered == null ? message : message.inReplyTo(answered);
    String requester = arguments.text("requester");
    message =
        requester == null ? message : message.requester(TxCall.address("--requester", requester));
    message = TxEnvelope.fill(message, call, call.textOrPiped(1));
    TxFolder folder = TxCall.folderToBegin(call);
    if (answered != null) {
      warnIfMissing(call, folder, answered);
    }
    TxCall.send(call, folder, message);
    return ExitCode.DONE;
  }

  /** What it answers may be in another folder, or have been deleted, so it is sent all the same. */
  private static void warnIfMissing(Invocation call, TxFolder folder, String answered) {
    if (folder.names().stream().anyMatch(name -> name.contains("-" + answered + "."))) {
      return; // most likely; no file has to be read to know it
    }
    try {
      TxFile unused = TxCall.message(folder, answered);
    } catch (NotFoundException e) {
      call.warn("--in-reply-to: " + SafeText.line(String.valueOf(e.getMessage())));
    }
  }
}
