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
 * What a mail says besides its text, in its frame's meta data: {@code to}, {@code type}, {@code
 * reply_to}, {@code headline}, {@code priority}, {@code tags}, {@code deadline}, {@code mail},
 * {@code await}, {@code box}. All of it is optional. Immutable; safe for use by many threads.
 *
 * @param to the addresses that the mail was sent to
 * @param type what kind of mail it is, or null
 * @param replyTo the id of the mail that it answers, or null
 * @param headline what it is about, or null
 * @param priority whether it is received before others
 * @param deadline from when on it is not received any more, or null for never
 * @param mail what it has in common with its other copies, or null where there are none
 * @param awaitedUntil until when its sender waits for an answer, or null
 * @param isFromBox whether it says that it came from a box
 */
public record Envelope(
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

  /** The envelope of a message that is nothing but a text. */
  public static final Envelope EMPTY =
      new Envelope(
          List.of(), null, null, null, Priority.NORMAL, List.of(), null, null, null, false);

  /** More characters than a name or a word has. */
  private static final int LONGEST_WORD = 200;

  private static final int LONGEST_HEADLINE = 500;
  private static final int MOST_TAGS = 50;

  /**
   * As late as a frame's own time may be: 9999-12-31T23:59:59.999Z. A number, because the first
   * time that is parsed costs a short command 6 ms.
   */
  private static final Instant LATEST = Instant.ofEpochMilli(253_402_300_799_999L);

  /** Returns the envelope that a frame's meta data holds. What can't be understood is left out. */
  public static Envelope of(Meta meta) {
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
        : new Envelope(
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

  /** Returns meta data with this envelope added. */
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

  /** Returns this envelope, to these addresses. */
  public Envelope to(List<String> to) {
    return new Envelope(
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
   * Returns this envelope of that kind of mail; null for none.
   *
   * @throws RalphException INVALID if it is blank, no Unicode or has more than 200 characters
   */
  public Envelope type(@Nullable String type) {
    String checked = checked("a type", type, LONGEST_WORD);
    return new Envelope(
        to, checked, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope of an answer to the mail of that id; null for none.
   *
   * @throws RalphException INVALID if it is blank, no Unicode or has more than 200 characters
   */
  public Envelope replyTo(@Nullable String replyTo) {
    String checked = checked("the id of the mail that is answered", replyTo, LONGEST_WORD);
    return new Envelope(
        to, type, checked, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with that headline; null for none.
   *
   * @throws RalphException INVALID if it is blank, no Unicode or has more than 500 characters
   */
  public Envelope headline(@Nullable String headline) {
    String checked = checked("a headline", headline, LONGEST_HEADLINE);
    return new Envelope(
        to, type, replyTo, checked, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /** Returns this envelope with that priority. */
  public Envelope priority(Priority priority) {
    Objects.requireNonNull(priority, "priority");
    return new Envelope(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope with these tags.
   *
   * @throws RalphException INVALID if there are more than 50, or one is blank, no Unicode or has
   *     more than 200 characters
   */
  public Envelope tags(List<String> tags) {
    if (tags.size() > MOST_TAGS) {
      throw RalphException.invalid("a mail has at most " + MOST_TAGS + " tags, not " + tags.size());
    }
    tags.forEach(tag -> checked("a tag", tag, LONGEST_WORD));
    return new Envelope(
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
   * Returns this envelope with that deadline; null for none.
   *
   * @throws RalphException INVALID if it is after the year 9999
   */
  public Envelope deadline(@Nullable Instant deadline) {
    if (deadline != null && deadline.isAfter(LATEST)) {
      throw RalphException.invalid(
          "a deadline lies before the year 10000, not at " + deadline + "; leave it out for none");
    }
    return new Envelope(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /** Returns this envelope of one of several copies, which have that id in common. */
  public Envelope mail(@Nullable String mail) {
    return new Envelope(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /** Returns this envelope of a mail whose sender waits for an answer until that time. */
  public Envelope awaitedUntil(@Nullable Instant awaitedUntil) {
    return new Envelope(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  /**
   * Returns this envelope of a mail that came from a box, which its frame's {@code by} names. A
   * session's inbox needs to know, because its other messages are an operator's.
   */
  public Envelope fromBox(boolean isFromBox) {
    return new Envelope(
        to, type, replyTo, headline, priority, tags, deadline, mail, awaitedUntil, isFromBox);
  }

  private static @Nullable String checked(String what, @Nullable String text, int longest) {
    if (text != null && (text.isBlank() || text.length() > longest)) {
      throw RalphException.invalid(
          text.isBlank()
              ? what + " must not be blank; leave it out for none"
              : what + " has at most " + longest + " characters, not " + text.length());
    }
    return text == null ? null : RalphException.requireUnicode(what, text);
  }

  // ---- for snapshots

  static void write(Envelope envelope, Output out) {
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

  static Envelope read(Input in) throws IOException {
    return in.bool()
        ? new Envelope(
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

  /** To the millisecond, as it is written, so that it is the same out of a snapshot. */
  private static @Nullable Instant time(@Nullable String text) {
    Instant time = Timestamp.parse(text);
    return time == null ? null : time.truncatedTo(ChronoUnit.MILLIS);
  }

  @Override
  public String toString() {
    return addTo(Meta.empty()).toString();
  }
}
