package dev.ralph.cli.tx;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.tx.TxMessage;
import java.time.Instant;

/** The common options of written messages. */
final class TxEnvelope {

  /** The maximum length of a headline in characters. */
  private static final int LONGEST_HEADLINE = 80;

  private TxEnvelope() {}

  static CommandSyntax options(CommandSyntax syntax) {
    return syntax
        .value("headline", "TEXT", "the subject, in one line (default: first line of the text)")
        .value("status", "WORD", "the status of the subject (default: by type)")
        .value("id", "ID", "the msg-id (default: generated)")
        .value("priority", "WORD", "high, normal (default) or low; high is delivered first")
        .values("tag", "WORD", "a tag; repeatable")
        .value("deadline", "WHEN", "expiry: 30m from now, or a time (ISO-8601)");
  }

  /** Sets the text of a message and the properties from the options. */
  static TxMessage fill(TxMessage message, Invocation call, String text) {
    Arguments arguments = call.arguments();
    try {
      TxMessage filled = message.body(text.stripTrailing()).tags(arguments.values("tag"));
      String headline = arguments.text("headline");
      filled = filled.headline(headline == null ? headline(text) : call.kept(headline));
      String id = arguments.text("id");
      filled = id == null ? filled.newId() : filled.id(id);
      String status = arguments.text("status");
      filled = status == null ? filled : filled.status(status);
      Instant deadline = arguments.deadline("deadline");
      filled = deadline == null ? filled : filled.deadline(deadline);
      return filled.priority(arguments.priority("priority"));
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static String headline(String text) {
    String first =
        text.lines()
            .map(line -> line.replaceFirst("^[#>*\\s-]+", "").strip())
            .filter(line -> !line.isEmpty())
            .findFirst()
            .orElseThrow(
                () -> new UsageException("the message has no text; give TEXT or --headline"));
    int end = first.offsetByCodePoints(0, Math.min(LONGEST_HEADLINE, length(first)));
    return end == first.length() ? first : first.substring(0, end) + "…";
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
