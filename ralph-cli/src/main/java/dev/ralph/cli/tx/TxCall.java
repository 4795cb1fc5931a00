package dev.ralph.cli.tx;

import dev.ralph.Ralph;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
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

/** Common methods of the TX commands: the folder, the store and the caller. */
final class TxCall {

  private TxCall() {}

  /** Adds the options of commands without a store. */
  static CommandSyntax files(CommandSyntax syntax) {
    return syntax
        .value("folder", "DIR", "the TX folder (default: the nearest " + TxFolder.USUAL + ")")
        .common();
  }

  /** Adds the options of commands with a store. */
  static CommandSyntax common(CommandSyntax syntax) {
    return files(
        syntax.value(
            "store",
            "DIR",
            "the store (default: RALPH_STORE, the nearest .ralph/store, or the repository's)"));
  }

  /** Adds the options of commands that may create the store. */
  static CommandSyntax beginning(CommandSyntax syntax) {
    return common(syntax.create());
  }

  /**
   * Opens the store, and creates a missing store. If the caller gave the store's address, creation
   * requires {@code --create}.
   */
  static Ralph storeToBegin(Invocation call) {
    call.stores().share();
    return call.stores().openToBegin().ralph();
  }

  /** Opens the store, or an empty store if it does not exist. Creates no files. */
  static Ralph storeIfAny(Invocation call) {
    call.stores().share();
    return call.stores().openIfAny().ralph();
  }

  /** Adds the option for the caller's address. */
  static CommandSyntax own(CommandSyntax syntax) {
    return syntax.value("as", "ADDRESS", "your own address (default: RALPH_TX_AS)");
  }

  /**
   * Writes a message, and prints its file. Warns if the mesh's routing and the files indicate that
   * delivery will refuse the message.
   *
   * @throws RalphException INVALID if another message has the given msg-id
   */
  static void send(Invocation call, TxFolder folder, TxMessage message) {
    String id = call.arguments().text("id");
    TxFile before = id == null ? null : folder.findByName(id).orElse(null);
    if (before != null) {
      throw RalphException.invalid(
          "the msg-id "
              + RalphException.quote(before.id())
              + " is already used by "
              + before
              + "; the message was not written, because it would not be delivered; give another"
              + " --id, or omit it");
    }
    TxView view = TxView.of(folder, Clock.systemUTC()).withRouting();
    String refusal = view.refusal(message);
    Path file = folder.write(message);
    if (refusal != null) {
      call.warn("the message will be rejected: " + SafeText.line(refusal));
    }
    String doubt = view.doubt(message);
    if (doubt != null) {
      call.warn(SafeText.line(doubt));
    }
    TxForm.sent(call, file);
  }

  /**
   * Returns the existing folder.
   *
   * @throws RalphException NOT_FOUND if the folder does not exist
   */
  static TxFolder folder(Invocation call) {
    Path found = find(call);
    if (found == null) {
      throw RalphException.notFound(
          "no "
              + TxFolder.USUAL
              + " in "
              + RalphException.quote(call.environment().directory().toString())
              + " or above; give the TX folder by --folder, or create it by ralph tx send");
    }
    return TxFolder.of(found);
  }

  /** Returns the folder. A missing folder is created unless the caller gave its path. */
  static TxFolder folderToBegin(Invocation call) {
    Path found = find(call);
    TxFolder folder = TxFolder.of(found == null ? call.environment().path(TxFolder.USUAL) : found);
    if (!Files.isDirectory(folder.messages())) {
      folder.makeMessages();
      call.warn("created the folder " + SafeText.line(folder.messages().toString()));
    }
    return folder;
  }

  /**
   * Returns a message by id.
   *
   * @throws NotFoundException if no message has the id; the message names the remedy
   */
  static TxFile message(TxFolder folder, String id) {
    try {
      return folder.find(id);
    } catch (NotFoundException e) {
      throw e.withMessage(
          e.getMessage() + "; ralph tx msg lists the newest messages with their msg-ids");
    }
  }

  private static @Nullable Path find(Invocation call) {
    String given = call.arguments().text("folder");
    if (given == null) {
      return Project.file(call.environment(), TxFolder.USUAL);
    }
    Path folder = call.environment().path(given);
    if (!Files.isDirectory(folder)) {
      throw RalphException.notFound(
          "no folder " + RalphException.quote(folder.toString()) + "; see --folder");
    }
    if (isMessages(folder)) {
      throw new UsageException(
          "--folder takes the TX folder, the parent of "
              + RalphException.quote(String.valueOf(folder.getFileName()))
              + ": give "
              + RalphException.quote(String.valueOf(folder.getParent())));
    }
    return folder;
  }

  /** Returns whether a folder is the message folder inside TX's folder. */
  private static boolean isMessages(Path folder) {
    Path above = folder.getParent();
    return above != null
        && folder.equals(TxFolder.of(above).messages())
        && !Files.isDirectory(TxFolder.of(folder).messages());
  }

  /**
   * Returns the caller's address.
   *
   * @throws UsageException if neither the option nor the variable contains an address
   */
  static TxAddress caller(Invocation call) {
    String given = call.arguments().text("as");
    String name = given == null ? call.environment().variable("RALPH_TX_AS") : given;
    if (name == null) {
      throw new UsageException("--as is required: give your own address (or set RALPH_TX_AS)");
    }
    return address("--as", name);
  }

  /**
   * Parses an address.
   *
   * @throws UsageException if the text is not an address
   */
  static TxAddress address(String what, String text) {
    try {
      return TxAddress.parse(text);
    } catch (RalphException e) {
      throw new UsageException(what + ": " + e.getMessage());
    }
  }

  /**
   * Parses a type of message.
   *
   * @throws UsageException if the word is not a type
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
