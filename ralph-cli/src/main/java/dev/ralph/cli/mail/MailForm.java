package dev.ralph.cli.mail;

import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.domain.Priority;
import dev.ralph.log.Meta;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.NewMail;
import dev.ralph.mail.Received;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Renders mail as text and JSON. */
final class MailForm {

  /** The listing of mail. */
  static final ListOutput<Mail> LISTING =
      new ListOutput<>("mails", "mails", MailForm::json, MailForm::line);

  /** Returns the listing of mail from several boxes, for the owner of a box. */
  static ListOutput<Mail> across(String own) {
    return new ListOutput<>(
        "mails",
        "mails",
        MailForm::json,
        (mail, style) ->
            line(
                mail,
                style,
                mail.ref() + " of " + SafeText.line(mail.box()),
                mail.box().equals(own)
                    ? mail.ref()
                    : CommandLineWords.join(List.of("--as", mail.box(), mail.ref()))));
  }

  /** The listing of boxes. */
  static final ListOutput<Mailbox.Listed> BOXES =
      new ListOutput<>(
          "mailboxes", "boxes", MailForm::json, (box, style) -> SafeText.line(box.toString()));

  private MailForm() {}

  /** Returns a mail as text, with further lines for a text of several lines. A long text is cut. */
  static String line(Mail mail, Style style) {
    return line(mail, style, mail.ref(), mail.ref());
  }

  /**
   * Returns a mail as text.
   *
   * @param named the name of the mail in the list
   * @param shown the arguments of {@code mail show} for the mail
   */
  private static String line(Mail mail, Style style, String named, String shown) {
    Instant sent = mail.sent();
    String from = mail.from();
    String headline = mail.headline();
    return named
        + " ["
        + word(mail.state())
        + "] "
        + (sent == null ? "" : style.faint(Times.local(sent)) + " ")
        + (from == null ? "" : SafeText.line(from) + " ")
        + "to "
        + SafeText.line(mail.box())
        + (mail.priority() == Priority.NORMAL ? "" : " (" + mail.priority().word() + ")")
        + ": "
        + (headline == null ? "" : SafeText.line(headline) + ": ")
        + listed(mail).indented("mail show " + SafeText.line(shown));
  }

  private static ListedText listed(Mail mail) {
    return ListedText.of(mail.length(), mail::beginning);
  }

  private static String word(Mail.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a mail as a letter: its properties, an empty line, the text. */
  static String letter(Mail mail) {
    StringBuilder letter = new StringBuilder();
    field(letter, "From", mail.from());
    field(letter, "To", String.join(", ", mail.to()));
    field(letter, "Mail", mail.ref() + " " + mail.id());
    field(letter, "State", word(mail.state()));
    field(letter, "Answers", mail.replyTo());
    field(letter, "Type", mail.type());
    field(letter, "Priority", mail.priority() == Priority.NORMAL ? null : mail.priority().word());
    field(letter, "Tags", mail.tags().isEmpty() ? null : String.join(", ", mail.tags()));
    field(letter, "Deadline", localTime(mail.deadline()));
    field(letter, "Answer by", localTime(mail.awaitedUntil()));
    field(letter, "Headline", mail.headline());
    return letter.append('\n').append(SafeText.text(mail.text())).toString();
  }

  /** Returns a received mail as a letter, with the token that settles it. */
  private static String letter(Received received) {
    return "Token: "
        + received.token()
        + " until "
        + time(received.until())
        + (received.isRedelivery() ? " (redelivered)" : "")
        + "\n"
        + letter(received.mail());
  }

  private static void field(StringBuilder letter, String name, @Nullable String value) {
    if (value != null) {
      letter.append(name).append(": ").append(SafeText.line(value)).append('\n');
    }
  }

  private static @Nullable String localTime(@Nullable Instant time) {
    return time == null ? null : Times.withOffset(time, ZoneId.systemDefault());
  }

  static @Nullable String time(@Nullable Instant time) {
    return time == null ? null : Times.format(time);
  }

  /** Returns a mail as a JSON object. A long text is cut. */
  static Meta json(Mail mail) {
    return json(mail, listed(mail));
  }

  /** Returns a mail as a JSON object, with the whole text. */
  static Meta whole(Mail mail) {
    String text = mail.text();
    return json(mail, ListedText.whole(text));
  }

  private static Meta json(Mail mail, ListedText text) {
    Meta named =
        Meta.of("ref", mail.ref())
            .with("id", mail.id())
            .with("box", mail.box())
            .with("from", mail.from())
            .with("to", mail.to())
            .with("mail", mail.commonId());
    return text.in(named, "text")
        .with("state", word(mail.state()))
        .with("sent", time(mail.sent()))
        .with("reply_to", mail.replyTo())
        .with("type", mail.type())
        .with("headline", mail.headline())
        .with("priority", mail.priority().word())
        .with("tags", mail.tags())
        .with("deadline", time(mail.deadline()))
        .with("awaited_until", time(mail.awaitedUntil()))
        .with("held_until", time(mail.heldUntil()));
  }

  private static Meta json(Mailbox.Listed box) {
    return Meta.of("name", box.name())
        .with("unread", box.unread())
        .with("total", box.total())
        .with("orphaned", box.isOrphaned());
  }

  /**
   * Prints a received mail.
   *
   * @param acknowledges whether the command acknowledges the mail, so that token and lease are
   *     omitted
   */
  static void answer(Invocation call, Received received, boolean acknowledges) {
    if (call.json()) {
      call.print(
          Json.of("received")
              .with("mail", whole(received.mail()))
              .with("token", acknowledges ? null : received.token())
              .with("until", acknowledges ? null : time(received.until()))
              .with("again", received.isRedelivery())
              .json());
    } else if (acknowledges) {
      call.print((received.isRedelivery() ? "Redelivered\n" : "") + letter(received.mail()));
    } else {
      call.print(letter(received));
    }
  }

  /** Prints a whole mail. */
  static void answer(Invocation call, Mail mail) {
    if (call.json()) {
      call.answer("mail", "mail", whole(mail));
    } else {
      call.print(letter(mail));
    }
  }

  /** Prints a changed mail. */
  static void done(Invocation call, Mail mail, String what) {
    if (call.json()) {
      call.answer("mail", "mail", json(mail));
    } else {
      call.print("Mail " + mail.ref() + " of " + SafeText.line(mail.box()) + " " + what);
    }
  }

  /**
   * Prints the copies of a sent mail. If the sender used the key before with another text, the copy
   * was not sent. The command then warns and fails.
   */
  static void sent(Invocation call, NewMail mail, List<Mail> copies) {
    List<Mail> earlier =
        copies.stream()
            .filter(copy -> mail.key() != null && !copy.text().equals(mail.text()))
            .toList();
    for (Mail copy : earlier) {
      call.exitWith(ExitCode.FAILED);
      call.warn(
          "not sent to "
              + SafeText.line(copy.box())
              + ", which has "
              + copy.ref()
              + " with a different text under this key; use a different key, or --as for a"
              + " different sender");
    }
    List<Mail> sent = copies.stream().filter(copy -> !earlier.contains(copy)).toList();
    if (call.json()) {
      Meta answer = Json.of("mail_sent").with("mails", sent.stream().map(MailForm::json).toList());
      call.print(
          (earlier.isEmpty()
                  ? answer
                  : answer.with("not_sent", earlier.stream().map(MailForm::unsent).toList()))
              .json());
    } else {
      sent.forEach(copy -> call.print("Mail sent to " + line(copy)));
      earlier.forEach(copy -> call.print("Mail not sent to " + line(copy) + " has this key"));
    }
  }

  private static String line(Mail copy) {
    return SafeText.line(copy.box()) + ": " + copy.id();
  }

  private static Meta unsent(Mail earlier) {
    return Meta.of("box", earlier.box()).with("earlier", earlier.ref());
  }
}
