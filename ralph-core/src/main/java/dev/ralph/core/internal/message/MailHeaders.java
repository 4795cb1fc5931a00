package dev.ralph.core.internal.message;

import dev.ralph.domain.Priority;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The optional headers of a mail, in its frame's metadata: {@code to}, {@code type}, {@code
 * reply_to}, {@code headline}, {@code priority}, {@code tags}, {@code deadline}, {@code mail},
 * {@code await}, {@code box}. Immutable; safe for use by many threads.
 *
 * @param to the addresses of the recipients
 * @param type the kind of mail, or null
 * @param replyTo the id of the answered mail, or null
 * @param headline the subject, or null
 * @param priority the order of receipt
 * @param deadline the time of expiry, or null for none
 * @param mail the common id of the mail's copies, or null for a single copy
 * @param awaitedUntil the time until which the sender waits for an answer, or null
 * @param isFromBox whether the mail names a box as the sender
 */
public record MailHeaders(
    List<String> to,
    @Nullable String type,
    @Nullable String replyTo,
    @Nullable String headline,
    Priority priority,
    List<String> tags,
    @Nullable Instant deadline,
    @Nullable String mail,
    @Nullable Instant awaitedUntil,
    boolean isFromBox) {

  /** The envelope of a plain message. */
  public static final MailHeaders EMPTY =
      new MailHeaders(
          List.of(), null, null, null, Priority.NORMAL, List.of(), null, null, null, false);

  /** The maximum number of characters of a name or word. */
  private static final int LONGEST_WORD = 200;

  private static final int LONGEST_HEADLINE = 500;
  private static final int MOST_TAGS = 50;

  /**
   * The latest time of a frame: 9999-12-31T23:59:59.999Z. A number, because the first parse of a
   * time takes 6 ms of a short command.
   */
  private static final Instant LATEST = Instant.ofEpochMilli(253_402_300_799_999L);

  /** Returns the envelope in a frame's metadata. Ignores unreadable members. */
  public static MailHeaders of(Meta meta) {
    List<String> to = meta.strings("to");
    String type = meta.string("type");
    String replyTo = meta.string("reply_to");
    String headline = meta.string("headline");
    Priority priority = Priority.of(meta.string("priority"));
    List<String> tags = meta.strings("tags");
    Instant deadline = time(meta.string("deadline"));
    String mail = meta.string("mail");
    Instant awaited = time(meta.string("await"));
    boolean isFromBox = meta.isTrue("box");
    boolean empty =
        to.isEmpty()
            && type == null
            && replyTo == null
            && headline == null
            && priority == null
            && tags.isEmpty()
            && deadline == null
            && mail == null
            && awaited == null
            && !isFromBox;
    return empty
        ? EMPTY
        : new MailHeaders(
            to,
            type,
            replyTo,
            headline,
            priority == null ? Priority.NORMAL : priority,
            tags,
            deadline,
            mail,
            awaited,
            isFromBox);
  }

  /** Returns metadata with the members of this envelope added. */
  public Meta addTo(Meta meta) {
    return meta.with("to", to.isEmpty() ? null : to)
        .with("type", type)
        .with("reply_to", replyTo)
        .with("headline", headline)
        .with("priority", priority == Priority.NORMAL ? null : priority.word())
        .with("tags", tags.isEmpty() ? null : tags)
        .with("deadline", deadline == null ? null : Timestamp.of(deadline))
        .with("mail", mail)
        .with("await", awaitedUntil == null ? null : Timestamp.of(awaitedUntil))
        .with("box", isFromBox ? true : null);
  }

  /** Returns this envelope with other addresses. */
  public MailHeaders to(List<String> to) {
    return new MailHeaders(
        List.copyOf(to),
        type,
        replyTo,
        headline,
        priority,
        tags,
        deadline,
        mail,
        awaitedUntil,
        isFromBox);
  }

  /**
   * Returns this envelope with another type; null for none.
   *
   * @throws RalphException INVALID if the type is blank, not valid Unicode or longer than 200
   *     characters
   */
  public MailHeaders type(@Nullable String type) {
    String checked = checked("a type", type, LONGEST_WORD);
    return new MailHeaders(
        to, checked, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope as an answer to a mail with an id; null for no answer.
   *
   * @throws RalphException INVALID if the id is blank, not valid Unicode or longer than 200
   *     characters
   */
  public MailHeaders replyTo(@Nullable String replyTo) {
    String checked = checked("the id of the answered mail", replyTo, LONGEST_WORD);
    return new MailHeaders(
        to, type, checked, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with another headline; null for none.
   *
   * @throws RalphException INVALID if the headline is blank, not valid Unicode or longer than 500
   *     characters
   */
  public MailHeaders headline(@Nullable String headline) {
    String checked = checked("a headline", headline, LONGEST_HEADLINE);
    return new MailHeaders(
        to, type, replyTo, checked, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /** Returns this envelope with another priority. */
  public MailHeaders priority(Priority priority) {
    Objects.requireNonNull(priority, "priority");
    return new MailHeaders(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with other tags.
   *
   * @throws RalphException INVALID if there are more than 50 tags, or if a tag is blank, not valid
   *     Unicode or longer than 200 characters
   */
  public MailHeaders tags(List<String> tags) {
    if (tags.size() > MOST_TAGS) {
      throw RalphException.invalid(
          "a mail must have at most " + MOST_TAGS + " tags, not " + tags.size());
    }
    tags.forEach(tag -> checked("a tag", tag, LONGEST_WORD));
    return new MailHeaders(
        to,
        type,
        replyTo,
        headline,
        priority,
        List.copyOf(tags),
        deadline,
        mail,
        awaitedUntil,
        isFromBox);
  }

  /**
   * Returns this envelope with another deadline; null for none.
   *
   * @throws RalphException INVALID if the deadline is after the year 9999
   */
  public MailHeaders deadline(@Nullable Instant deadline) {
    if (deadline != null && deadline.isAfter(LATEST)) {
      throw RalphException.invalid(
          "a deadline must be before the year 10000, not "
              + deadline
              + "; omit the deadline"
              + " for none");
    }
    return new MailHeaders(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /** Returns this envelope with the common id of several copies; null for a single copy. */
  public MailHeaders mail(@Nullable String mail) {
    return new MailHeaders(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with the time until which the sender waits for an answer; null for no
   * wait.
   */
  public MailHeaders awaitedUntil(@Nullable Instant awaitedUntil) {
    return new MailHeaders(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with a statement about its origin. A session's inbox needs the statement
   * to distinguish a box, named in the frame's {@code by}, from an operator.
   */
  public MailHeaders fromBox(boolean isFromBox) {
    return new MailHeaders(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  private static @Nullable String checked(String what, @Nullable String text, int longest) {
    if (text != null && (text.isBlank() || text.length() > longest)) {
      throw RalphException.invalid(
          text.isBlank()
              ? what + " must not be blank; omit the value for none"
              : what + " must have at most " + longest + " characters, not " + text.length());
    }
    return text == null ? null : RalphException.requireUnicode(what, text);
  }

  // ---- for snapshots

  static void write(MailHeaders envelope, Output out) {
    out.bool(envelope != EMPTY);
    if (envelope != EMPTY) {
      write(envelope.to, out);
      out.text(envelope.type);
      out.text(envelope.replyTo);
      out.text(envelope.headline);
      out.number(envelope.priority.ordinal());
      write(envelope.tags, out);
      write(envelope.deadline, out);
      out.text(envelope.mail);
      write(envelope.awaitedUntil, out);
      out.bool(envelope.isFromBox);
    }
  }

  static MailHeaders read(Input in) throws IOException {
    return in.bool()
        ? new MailHeaders(
            texts(in),
            in.textOrNull(),
            in.textOrNull(),
            in.textOrNull(),
            Priority.values()[in.integer()],
            texts(in),
            time(in),
            in.textOrNull(),
            time(in),
            in.bool())
        : EMPTY;
  }

  static void write(List<String> texts, Output out) {
    out.number(texts.size());
    for (String text : texts) {
      out.text(text);
    }
  }

  static List<String> texts(Input in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      texts.add(in.text());
    }
    return List.copyOf(texts);
  }

  private static void write(@Nullable Instant time, Output out) {
    out.text(time == null ? null : Timestamp.of(time));
  }

  private static @Nullable Instant time(Input in) throws IOException {
    return time(in.textOrNull());
  }

  /** Parses a time, to the millisecond as in a snapshot. */
  private static @Nullable Instant time(@Nullable String text) {
    Instant time = Timestamp.parse(text);
    return time == null ? null : time.truncatedTo(ChronoUnit.MILLIS);
  }

  @Override
  public String toString() {
    return addTo(Meta.empty()).toString();
  }
}
