package dev.ralph.cli.tx;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxFile;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;
import dev.ralph.tx.TxView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the commands for TX have in common: which folder, in which store, and who calls. */
final class TxCall {

  private TxCall() {}

  /** Adds the options of those that use no store. */
  static Syntax files(Syntax syntax) {
    return syntax
        .value("folder", "DIR", "TX's folder; the nearest " + TxFolder.USUAL + " if not given")
        .common();
  }

  /** Adds the options of those that use the store. */
  static Syntax common(Syntax syntax) {
    return files(
        syntax.value("store", "DIR", "RALPH_STORE, the nearest .ralph/store, or the repository's"));
  }

  /** Adds the options of those that may be the first to use a store. */
  static Syntax beginning(Syntax syntax) {
    return common(syntax.create());
  }

  /**
   * Returns a store that is made if it is missing, unless the caller said where it has to be and
   * not {@code --create}.
   */
  static Ralph storeToBegin(Invocation call) {
    call.shareStore();
    return call.storeToBegin().ralph();
  }

  /** Returns the store, or an empty one where it does not exist; makes nothing. */
  static Ralph storeIfAny(Invocation call) {
    call.shareStore();
    return call.storeIfAny().ralph();
  }

  /** Adds the option that says who calls. */
  static Syntax own(Syntax syntax) {
    return syntax.value("as", "ADDRESS", "who you are; RALPH_TX_AS if not given");
  }

  /**
   * Sends a message, and answers with its file. It is refused by who delivers it, so its sender is
   * warned if that will be so, as far as the routing of its mesh and the files say.
   *
   * @throws RalphException INVALID if the msg-id that was given is that of another message
   */
  static void send(Invocation call, TxFolder folder, TxMessage message) {
    String id = call.arguments().text("id");
    TxFile before = id == null ? null : folder.findByName(id).orElse(null);
    if (before != null) {
      throw RalphException.invalid(
          "the msg-id "
              + RalphException.quote(before.id())
              + " is that of "
              + before
              + ", so this message would not be delivered, and is not written; give it another"
              + " --id, or none");
    }
    TxView view = TxView.of(folder, Clock.systemUTC()).withRouting();
    String refusal = view.refusal(message);
    Path file = folder.write(message);
    if (refusal != null) {
      call.warn("the message will be refused: " + SafeText.line(refusal));
    }
    String doubt = view.doubt(message);
    if (doubt != null) {
      call.warn(SafeText.line(doubt));
    }
    TxForm.sent(call, file);
  }

  /**
   * Returns the folder, which must exist.
   *
   * @throws RalphException NOT_FOUND if it does not
   */
  static TxFolder folder(Invocation call) {
    Path found = find(call);
    if (found == null) {
      throw RalphException.notFound(
          "there is no "
              + TxFolder.USUAL
              + " in "
              + RalphException.quote(call.environment().directory().toString())
              + " or above; name TX's folder by --folder, or make one by ralph tx send");
    }
    return TxFolder.of(found);
  }

  /** Returns the folder, made if it is missing, unless the caller said where it has to be. */
  static TxFolder folderToBegin(Invocation call) {
    Path found = find(call);
    TxFolder folder = TxFolder.of(found == null ? call.environment().path(TxFolder.USUAL) : found);
    if (!Files.isDirectory(folder.messages())) {
      folder.makeMessages();
      call.warn("made the folder " + SafeText.line(folder.messages().toString()));
    }
    return folder;
  }

  /**
   * Returns the message of that id.
   *
   * @throws NotFoundException if there is none, saying what to do
   */
  static TxFile message(TxFolder folder, String id) {
    try {
      return folder.find(id);
    } catch (NotFoundException e) {
      throw e.withMessage(
          e.getMessage() + "; ralph tx msg shows the newest messages and their msg-ids");
    }
  }

  private static @Nullable Path find(Invocation call) {
    String given = call.arguments().text("folder");
    if (given == null) {
      return call.projectFile(TxFolder.USUAL);
    }
    Path folder = call.environment().path(given);
    if (!Files.isDirectory(folder)) {
      throw RalphException.notFound(
          "there is no folder " + RalphException.quote(folder.toString()) + "; see --folder");
    }
    if (isMessages(folder)) {
      throw new UsageException(
          "--folder takes TX's folder, which has "
              + RalphException.quote(String.valueOf(folder.getFileName()))
              + " in it: give "
              + RalphException.quote(String.valueOf(folder.getParent())));
    }
    return folder;
  }

  /** Returns whether a folder is that of the messages, which lies in TX's folder. */
  private static boolean isMessages(Path folder) {
    Path above = folder.getParent();
    return above != null
        && folder.equals(TxFolder.of(above).messages())
        && !Files.isDirectory(TxFolder.of(folder).messages());
  }

  /**
   * Returns who calls.
   *
   * @throws UsageException if nobody said it
   */
  static TxAddress caller(Invocation call) {
    String given = call.arguments().text("as");
    String name = given == null ? call.environment().variable("RALPH_TX_AS") : given;
    if (name == null) {
      throw new UsageException("--as flag required: who sends it? (or set RALPH_TX_AS)");
    }
    return address("--as", name);
  }

  /**
   * Returns the address that was given for something.
   *
   * @throws UsageException if it is none
   */
  static TxAddress address(String what, String text) {
    try {
      return TxAddress.parse(text);
    } catch (RalphException e) {
      throw new UsageException(what + ": " + e.getMessage());
    }
  }

  /**
   * Returns the type of message that a word stands for.
   *
   * @throws UsageException if it is none
   */
  static TxType type(String word) {
    TxType type = TxType.of(word);
    if (type == null) {
      throw new UsageException(
          "--type must be one of "
              + Arrays.stream(TxType.values()).map(TxType::word).collect(Collectors.joining(", "))
              + ", not "
              + RalphException.quote(word));
    }
    return type;
  }
}
