package dev.ralph.cli.tx;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.domain.Priority;
import dev.ralph.log.Meta;
import dev.ralph.tx.TxFile;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxListed;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxView;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Renders messages of TX as text and JSON. */
final class TxViewForm {

  private static final String MEMBER = "messages";

  private static final String UNKNOWN = "?";

  private final TxFolder folder;
  private final boolean withProblems;

  /**
   * Creates a renderer for the messages of a folder.
   *
   * @param withProblems whether the text includes the problems of a message
   */
  TxViewForm(TxFolder folder, boolean withProblems) {
    this.folder = folder;
    this.withProblems = withProblems;
  }

  /**
   * Returns the listing of messages without a recipient.
   *
   * @param waiting the names of files whose mesh does not run. TX has set all remaining files aside
   */
  ListOutput<TxListed> orphans(Set<String> waiting) {
    return new ListOutput<>(
        "tx_orphans",
        MEMBER,
        listed -> json(listed).with("waiting", waiting.contains(listed.name())),
        (listed, style) ->
            line(listed, style) + (waiting.contains(listed.name()) ? " (waits)" : ""));
  }

  /** Prints the newest messages. */
  void answer(Invocation call, TxView.Newest newest) {
    if (call.json()) {
      List<Meta> objects = newest.messages().stream().map(this::json).toList();
      call.print(
          Json.of("tx_messages")
              .with(MEMBER, objects)
              .with("left_out", newest.leftOut() == 0 ? null : newest.leftOut())
              .json());
    } else if (newest.messages().isEmpty()) {
      call.print("No messages");
    } else {
      newest.messages().forEach(listed -> call.print(line(listed, call.style())));
    }
  }

  /** Prints a thread as a tree, or in JSON as a list in the order of the tree. */
  void answer(Invocation call, List<TxView.ThreadEntry> thread) {
    if (call.json()) {
      call.answer("tx_thread", MEMBER, thread.stream().map(this::json).toList());
    } else {
      TxTree.lines(thread, listed -> line(listed, call.style())).forEach(call::print);
    }
  }

  private Meta json(TxView.ThreadEntry entry) {
    return Meta.of("id", entry.id())
        .with("depth", entry.depth())
        .with("missing", entry.isMissing())
        .with("repeated", entry.repeated())
        .with("files", entry.files().stream().map(this::json).toList());
  }

  /** Returns a message as a line, followed by its problems if requested. */
  String line(TxListed listed, Style style) {
    TxFile file = listed.file();
    StringBuilder line =
        new StringBuilder(file == null ? unreadable(listed, style) : readable(listed, file, style));
    if (withProblems && file != null) {
      for (String problem : listed.problems()) {
        line.append("\n    ").append(SafeText.line(problem));
      }
    }
    return line.toString();
  }

  private static String unreadable(TxListed listed, Style style) {
    return SafeText.line(listed.name())
        + " [unreadable] "
        + style.faint(Times.local(listed.time()))
        + " "
        + SafeText.line(String.join("; ", listed.problems()));
  }

  private static String readable(TxListed listed, TxFile file, Style style) {
    TxMessage message = listed.message();
    String headline = message.headline();
    return (message.id() == null ? SafeText.line(file.name()) : SafeText.line(file.id()))
        + " ["
        + text(message.status())
        + "] "
        + style.faint(Times.local(listed.time()))
        + " "
        + (message.type() == null ? UNKNOWN : message.type().word())
        + " "
        + text(message.from())
        + " to "
        + text(message.to())
        + (message.priority() == Priority.NORMAL ? "" : " (" + message.priority().word() + ")")
        + (listed.isOrphan() ? " (orphan)" : "")
        + (headline == null ? "" : ": " + SafeText.line(headline));
  }

  private static String text(@Nullable Object value) {
    return value == null ? UNKNOWN : SafeText.line(value.toString());
  }

  /** Returns a message as a JSON object. */
  Meta json(TxListed listed) {
    TxFile file = listed.file();
    Meta object = Meta.of("file", folder.file(listed.name()).toString());
    if (file == null) {
      return object.with("readable", false).with("problems", listed.problems());
    }
    TxMessage message = listed.message();
    return object
        .with("readable", true)
        .with("id", message.id())
        .with("type", message.type() == null ? null : message.type().word())
        .with("status", message.status())
        .with("from", string(message.from()))
        .with("to", string(message.to()))
        .with("requester", string(message.requester()))
        .with("in_reply_to", message.inReplyTo())
        .with("headline", message.headline())
        .with("timestamp", time(message.timestamp()))
        .with("priority", message.priority().word())
        .with("tags", message.tags())
        .with("deadline", time(message.deadline()))
        .with("orphan", listed.isOrphan())
        .with("sha256", file.sha256())
        .with("problems", listed.problems());
  }

  private static @Nullable String string(@Nullable Object value) {
    return value == null ? null : value.toString();
  }

  private static @Nullable String time(@Nullable Instant time) {
    return time == null ? null : Times.format(time);
  }
}
