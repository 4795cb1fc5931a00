package dev.ralph.mail;

import dev.ralph.domain.Priority;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mail to be sent. Each method returns a changed one.
 *
 * <pre>{@code
 * box.send(NewMail.of("The build is red since 3f2a").to("ann", "bob").priority(Priority.HIGH));
 * }</pre>
 */
public final class NewMail {

  private final String text;
  private List<String> to = List.of();
  private @Nullable String type;
  private @Nullable String replyTo;
  private @Nullable String headline;
  private Priority priority = Priority.NORMAL;
  private List<String> tags = List.of();
  private @Nullable Instant deadline;
  private @Nullable String key;

  private NewMail(String text) {
    this.text = text;
  }

  private NewMail(NewMail other) {
    this.text = other.text;
    this.to = other.to;
    this.type = other.type;
    this.replyTo = other.replyTo;
    this.headline = other.headline;
    this.priority = other.priority;
    this.tags = other.tags;
    this.deadline = other.deadline;
    this.key = other.key;
  }

  /** Returns a mail of any length. */
  public static NewMail of(String text) {
    return new NewMail(Objects.requireNonNull(text, "text"));
  }

  /** Returns this mail, to these boxes and no others. */
  public NewMail to(String... boxes) {
    return to(Arrays.asList(Objects.requireNonNull(boxes, "boxes")));
  }

  /** Returns this mail, to these boxes and no others. */
  public NewMail to(List<String> boxes) {
    Objects.requireNonNull(boxes, "boxes").forEach(box -> Objects.requireNonNull(box, "box"));
    NewMail changed = new NewMail(this);
    changed.to = List.copyOf(boxes);
    return changed;
  }

  /** Returns this mail, of a kind in your own words, such as {@code review}; null for none. */
  public NewMail type(@Nullable String type) {
    NewMail changed = new NewMail(this);
    changed.type = type;
    return changed;
  }

  /**
   * Returns this mail, as an answer to another one; null for none.
   *
   * @param ref of a mail in the box that this one is sent from, or the whole id of a mail in any
   *     box
   */
  public NewMail replyTo(@Nullable String ref) {
    NewMail changed = new NewMail(this);
    changed.replyTo = ref;
    return changed;
  }

  /** Returns this mail, with a line that says what it is about; null for none. */
  public NewMail headline(@Nullable String headline) {
    NewMail changed = new NewMail(this);
    changed.headline = headline;
    return changed;
  }

  /** Returns this mail, to be received before or after others. */
  public NewMail priority(Priority priority) {
    NewMail changed = new NewMail(this);
    changed.priority = Objects.requireNonNull(priority, "priority");
    return changed;
  }

  /** Returns this mail, with these tags and no others. */
  public NewMail tags(List<String> tags) {
    Objects.requireNonNull(tags, "tags").forEach(tag -> Objects.requireNonNull(tag, "tag"));
    NewMail changed = new NewMail(this);
    changed.tags = List.copyOf(tags);
    return changed;
  }

  /**
   * Returns this mail, not to be received from that time on; null for never. Who has received it by
   * then may still acknowledge it, as long as the lease runs; if nobody does, it expires.
   */
  public NewMail deadline(@Nullable Instant deadline) {
    NewMail changed = new NewMail(this);
    changed.deadline = deadline;
    return changed;
  }

  /**
   * Returns this mail, to be sent only to those boxes that got none under the same key from the
   * same sender before; null for none. Those that nobody in particular sends are of one sender.
   */
  public NewMail key(@Nullable String key) {
    NewMail changed = new NewMail(this);
    changed.key = key;
    return changed;
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
    return type;
  }

  /** Returns the reference to the mail that it answers, or null. */
  public @Nullable String replyTo() {
    return replyTo;
  }

  /** Returns what it is about, or null. */
  public @Nullable String headline() {
    return headline;
  }

  /** Returns whether it is received before others. */
  public Priority priority() {
    return priority;
  }

  /** Returns its tags. */
  public List<String> tags() {
    return tags;
  }

  /** Returns from when on it is not received any more, or null for never. */
  public @Nullable Instant deadline() {
    return deadline;
  }

  /** Returns the key under which a box gets only one from a sender, or null. */
  public @Nullable String key() {
    return key;
  }
}
