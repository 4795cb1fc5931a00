package dev.ralph.mail;

import dev.ralph.core.internal.message.MailHeaders;
import dev.ralph.domain.Priority;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mail to be sent. Immutable: each method with a value returns a changed mail, and throws INVALID
 * if the value is invalid.
 *
 * <pre>{@code
 * box.send(NewMail.of("The build is red since 3f2a").to("ann", "bob").priority(Priority.HIGH));
 * }</pre>
 */
public final class NewMail {

  private final String text;
  private final List<String> to;
  private final MailHeaders envelope;

  /** The reference to the answered mail. Sending replaces it by an id. */
  private final @Nullable String replyTo;

  private final @Nullable String key;

  private NewMail(
      String text,
      List<String> to,
      MailHeaders envelope,
      @Nullable String replyTo,
      @Nullable String key) {
    this.text = text;
    this.to = to;
    this.envelope = envelope;
    this.replyTo = replyTo;
    this.key = key;
  }

  private NewMail in(MailHeaders changed) {
    return new NewMail(text, to, changed, replyTo, key);
  }

  /** Returns a mail with a text of any length. */
  public static NewMail of(String text) {
    return new NewMail(
        Objects.requireNonNull(text, "text"), List.of(), MailHeaders.EMPTY, null, null);
  }

  /** Returns this mail with these recipients only. */
  public NewMail to(String... boxes) {
    return to(Arrays.asList(Objects.requireNonNull(boxes, "boxes")));
  }

  /** Returns this mail with these recipients only. */
  public NewMail to(List<String> boxes) {
    Objects.requireNonNull(boxes, "boxes").forEach(box -> Objects.requireNonNull(box, "box"));
    return new NewMail(text, List.copyOf(boxes), envelope, replyTo, key);
  }

  /** Returns this mail with a kind of your own, such as {@code review}; null for none. */
  public NewMail type(@Nullable String type) {
    return in(envelope.type(type));
  }

  /**
   * Returns this mail as an answer to another mail; null for none.
   *
   * @param ref a reference to a mail in the sender's box, or the whole id of a mail in any box
   */
  public NewMail replyTo(@Nullable String ref) {
    return new NewMail(text, to, envelope, ref, key);
  }

  /** Returns this mail with a subject of a single line; null for none. */
  public NewMail headline(@Nullable String headline) {
    return in(envelope.headline(headline));
  }

  /** Returns this mail with a priority. Mails with a higher priority are received first. */
  public NewMail priority(Priority priority) {
    return in(envelope.priority(priority));
  }

  /** Returns this mail with these tags only. */
  public NewMail tags(List<String> tags) {
    Objects.requireNonNull(tags, "tags").forEach(tag -> Objects.requireNonNull(tag, "tag"));
    return in(envelope.tags(tags));
  }

  /**
   * Returns this mail with a deadline, from which it can no longer be received; null for none. An
   * earlier receiver may still acknowledge the mail while its lease is live; otherwise the mail
   * expires.
   */
  public NewMail deadline(@Nullable Instant deadline) {
    return in(envelope.deadline(deadline));
  }

  /**
   * Returns this mail with a key; null for none. A box gets only one mail per key and sender. All
   * anonymous mails count as mails of one sender.
   */
  public NewMail key(@Nullable String key) {
    return new NewMail(text, to, envelope, replyTo, key);
  }

  /** Returns the text. */
  public String text() {
    return text;
  }

  /** Returns the addresses of the recipients. */
  public List<String> to() {
    return to;
  }

  /** Returns the kind of the mail, or null. */
  public @Nullable String type() {
    return envelope.type();
  }

  /** Returns the reference to the answered mail, or null. */
  public @Nullable String replyTo() {
    return replyTo;
  }

  /** Returns the subject, or null. */
  public @Nullable String headline() {
    return envelope.headline();
  }

  /** Returns the priority. */
  public Priority priority() {
    return envelope.priority();
  }

  /** Returns the tags. */
  public List<String> tags() {
    return envelope.tags();
  }

  /** Returns the time from which the mail can no longer be received, or null for no deadline. */
  public @Nullable Instant deadline() {
    return envelope.deadline();
  }

  /** Returns the other properties of the mail, without the answered mail. */
  MailHeaders envelope() {
    return envelope;
  }

  /** Returns the key, or null. A box gets only one mail per key and sender. */
  public @Nullable String key() {
    return key;
  }
}
