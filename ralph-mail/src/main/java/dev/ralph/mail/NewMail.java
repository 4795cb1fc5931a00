package dev.ralph.mail;

import dev.ralph.core.internal.message.Envelope;
import dev.ralph.domain.Priority;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mail to be sent. Each method that takes a value returns a changed mail, and throws INVALID if a
 * mail can't have that value.
 *
 * <pre>{@code
 * box.send(NewMail.of("The build is red since 3f2a").to("ann", "bob").priority(Priority.HIGH));
 * }</pre>
 */
public final class NewMail {

  private final String text;
  private final List<String> to;
  private final Envelope envelope;

  /** A reference, which is an id once it is sent. */
  private final @Nullable String replyTo;

  private final @Nullable String key;

  private NewMail(
      String text,
      List<String> to,
      Envelope envelope,
      @Nullable String replyTo,
      @Nullable String key) {
    this.text = text;
    this.to = to;
    this.envelope = envelope;
    this.replyTo = replyTo;
    this.key = key;
  }

  private NewMail in(Envelope changed) {
    return new NewMail(text, to, changed, replyTo, key);
  }

  /** Returns a mail of any length. */
  public static NewMail of(String text) {
    return new NewMail(Objects.requireNonNull(text, "text"), List.of(), Envelope.EMPTY, null, null);
  }

  /** Returns this mail, to these boxes and no others. */
  public NewMail to(String... boxes) {
    return to(Arrays.asList(Objects.requireNonNull(boxes, "boxes")));
  }

  /** Returns this mail, to these boxes and no others. */
  public NewMail to(List<String> boxes) {
    Objects.requireNonNull(boxes, "boxes").forEach(box -> Objects.requireNonNull(box, "box"));
    return new NewMail(text, List.copyOf(boxes), envelope, replyTo, key);
  }

  /** Returns this mail, of a kind in your own words, such as {@code review}; null for none. */
  public NewMail type(@Nullable String type) {
    return in(envelope.type(type));
  }

  /**
   * Returns this mail, as an answer to another one; null for none.
   *
   * @param ref of a mail in the box that this one is sent from, or the whole id of a mail in any
   *     box
   */
  public NewMail replyTo(@Nullable String ref) {
    return new NewMail(text, to, envelope, ref, key);
  }

  /** Returns this mail, with a line that says what it is about; null for none. */
  public NewMail headline(@Nullable String headline) {
    return in(envelope.headline(headline));
  }

  /** Returns this mail, to be received before or after others. */
  public NewMail priority(Priority priority) {
    return in(envelope.priority(priority));
  }

  /** Returns this mail, with these tags and no others. */
  public NewMail tags(List<String> tags) {
    Objects.requireNonNull(tags, "tags").forEach(tag -> Objects.requireNonNull(tag, "tag"));
    return in(envelope.tags(tags));
  }

  /**
   * Returns this mail, not to be received from that time on; null for never. Somebody who has
   * received it before may still acknowledge it while the lease runs; if nobody does, it expires.
   */
  public NewMail deadline(@Nullable Instant deadline) {
    return in(envelope.deadline(deadline));
  }

  /**
   * Returns this mail, to be sent only to the boxes that have had no mail from the same sender
   * under this key; null for no key. All mails without a sender count as from the same one.
   */
  public NewMail key(@Nullable String key) {
    return new NewMail(text, to, envelope, replyTo, key);
  }

  /** Returns what it says. */
  public String text() {
    return text;
  }

  /** Returns the addresses of the boxes that it goes to. */
  public List<String> to() {
    return to;
  }

  /** Returns what kind of mail it is, or null. */
  public @Nullable String type() {
    return envelope.type();
  }

  /** Returns the reference to the mail that it answers, or null. */
  public @Nullable String replyTo() {
    return replyTo;
  }

  /** Returns what it is about, or null. */
  public @Nullable String headline() {
    return envelope.headline();
  }

  /** Returns whether it is received before others. */
  public Priority priority() {
    return envelope.priority();
  }

  /** Returns its tags. */
  public List<String> tags() {
    return envelope.tags();
  }

  /** Returns from when on it is not received any more, or null for never. */
  public @Nullable Instant deadline() {
    return envelope.deadline();
  }

  /** Returns all else that it says, but for what it answers. */
  Envelope envelope() {
    return envelope;
  }

  /** Returns the key under which a box gets only one from a sender, or null. */
  public @Nullable String key() {
    return key;
  }
}
