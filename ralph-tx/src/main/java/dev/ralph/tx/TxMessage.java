package dev.ralph.tx;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message between agents, as TX's files hold it. Each method that takes a value returns a changed
 * message. One that was read may lack any field; one that is to be written must have them all, see
 * {@link TxFolder#write}.
 *
 * <pre>{@code
 * TxMessage task =
 *     TxMessage.of(TxType.TASK)
 *         .from("core/core")
 *         .to("code-review-a1b2c3/coordinator")
 *         .id("review-login-001")
 *         .headline("Review the login: who may see what?")
 *         .body("Please look at `lib/auth/`.");
 * TxMessage done =
 *     task.reply(TxType.TASK_COMPLETE).id("review-login-001-done").headline("Two findings");
 * }</pre>
 *
 * Immutable; safe for use by many threads.
 */
public final class TxMessage {

  /** Ids, status words and tags are words, and go into the envelope of a mail. */
  private static final int LONGEST_WORD = 200;

  /** As long as the headline of a mail. */
  private static final int LONGEST_HEADLINE = 500;

  /** As many as a mail has. */
  private static final int MOST_TAGS = 50;

  /** No message, of no type. */
  static final TxMessage EMPTY = new TxMessage();

  private @Nullable TxType type;
  private @Nullable String status;
  private @Nullable TxAddress from;
  private @Nullable TxAddress to;
  private @Nullable TxAddress requester;
  private @Nullable String id;
  private @Nullable String inReplyTo;
  private @Nullable String headline;
  private @Nullable Instant timestamp;
  private Priority priority = Priority.NORMAL;
  private List<String> tags = List.of();
  private @Nullable Instant deadline;
  private String body = "";

  private TxMessage() {}

  private TxMessage(TxMessage other) {
    this.type = other.type;
    this.status = other.status;
    this.from = other.from;
    this.to = other.to;
    this.requester = other.requester;
    this.id = other.id;
    this.inReplyTo = other.inReplyTo;
    this.headline = other.headline;
    this.timestamp = other.timestamp;
    this.priority = other.priority;
    this.tags = other.tags;
    this.deadline = other.deadline;
    this.body = other.body;
  }

  /**
   * Returns a message of that type, with nothing in it but the status that is usual for it: {@code
   * complete} of answers and updates, else {@code start}.
   */
  public static TxMessage of(TxType type) {
    boolean over = type.isAnswer() || type == TxType.UPDATE;
    return EMPTY.type(type).status(over ? "complete" : "start");
  }

  /**
   * Returns an answer to this message, without an id, headline and body: to its sender, in its
   * thread, on behalf of the same requester.
   *
   * @throws RalphException INVALID if this message has no id
   */
  public TxMessage reply(TxType type) {
    if (id == null) {
      throw RalphException.invalid("a message without a msg-id can't be answered");
    }
    TxMessage reply = new TxMessage(of(type));
    reply.from = to;
    reply.to = from;
    reply.requester = requester == null ? from : requester;
    reply.inReplyTo = id;
    return reply;
  }

  /** Returns this message, of that type. */
  TxMessage type(TxType type) {
    TxMessage changed = new TxMessage(this);
    changed.type = Objects.requireNonNull(type, "type");
    return changed;
  }

  /**
   * Returns this message, with a word for how far its matter has got. TX names {@code start},
   * {@code in-progress}, {@code rejected}, {@code approved}, {@code complete} and {@code blocked};
   * a mesh may have words of its own.
   *
   * @throws RalphException INVALID if it is blank, holds what can't be seen, or has more than 200
   *     characters
   */
  public TxMessage status(String status) {
    TxMessage changed = new TxMessage(this);
    changed.status = OneLine.require("a status", status, LONGEST_WORD);
    return changed;
  }

  /**
   * Returns this message, from that agent.
   *
   * @param from see {@link TxAddress#parse}
   */
  public TxMessage from(String from) {
    return from(TxAddress.parse(from));
  }

  /** Returns this message, from that agent. */
  public TxMessage from(TxAddress from) {
    TxMessage changed = new TxMessage(this);
    changed.from = Objects.requireNonNull(from, "from");
    return changed;
  }

  /**
   * Returns this message, to that agent.
   *
   * @param to see {@link TxAddress#parse}
   */
  public TxMessage to(String to) {
    return to(TxAddress.parse(to));
  }

  /** Returns this message, to that agent. */
  public TxMessage to(TxAddress to) {
    TxMessage changed = new TxMessage(this);
    changed.to = Objects.requireNonNull(to, "to");
    return changed;
  }

  /**
   * Returns this message, sent in the end on behalf of that agent.
   *
   * @param requester see {@link TxAddress#parse}
   */
  public TxMessage requester(String requester) {
    return requester(TxAddress.parse(requester));
  }

  /** Returns this message, sent in the end on behalf of that agent. */
  public TxMessage requester(TxAddress requester) {
    TxMessage changed = new TxMessage(this);
    changed.requester = Objects.requireNonNull(requester, "requester");
    return changed;
  }

  /**
   * Returns this message, under that id.
   *
   * @throws RalphException INVALID if it is blank, holds what can't be seen, or has more than 200
   *     characters
   */
  public TxMessage id(String id) {
    TxMessage changed = new TxMessage(this);
    changed.id = OneLine.require("a msg-id", id, LONGEST_WORD);
    return changed;
  }

  /** Returns this message, under an id of 25 small letters and digits that no other one has. */
  public TxMessage newId() {
    return id(new Scru128(Clock.systemUTC()).next());
  }

  /**
   * Returns this message, as an answer to the one of that id, or in its thread. {@link #reply} sets
   * the requester as well.
   *
   * @throws RalphException INVALID if it is blank, holds what can't be seen, or has more than 200
   *     characters
   */
  public TxMessage inReplyTo(String id) {
    TxMessage changed = new TxMessage(this);
    changed.inReplyTo = OneLine.require("in-reply-to", id, LONGEST_WORD);
    return changed;
  }

  /**
   * Returns this message, with a line that says what it is about.
   *
   * @throws RalphException INVALID if it is blank, holds what can't be seen, or has more than 500
   *     characters
   */
  public TxMessage headline(String headline) {
    TxMessage changed = new TxMessage(this);
    changed.headline = OneLine.require("a headline", headline, LONGEST_HEADLINE);
    return changed;
  }

  /** Returns this message, written at that time, to the millisecond. */
  public TxMessage timestamp(Instant timestamp) {
    TxMessage changed = new TxMessage(this);
    changed.timestamp = timestamp.truncatedTo(ChronoUnit.MILLIS);
    return changed;
  }

  /** Returns this message, to be delivered before or after others. */
  public TxMessage priority(Priority priority) {
    TxMessage changed = new TxMessage(this);
    changed.priority = Objects.requireNonNull(priority, "priority");
    return changed;
  }

  /**
   * Returns this message, with these tags and no others.
   *
   * @throws RalphException INVALID if there are more than 50, or one is blank, holds what can't be
   *     seen, or has more than 200 characters
   */
  public TxMessage tags(List<String> tags) {
    TxMessage changed = new TxMessage(this);
    changed.tags = List.copyOf(tags);
    if (changed.tags.size() > MOST_TAGS) {
      throw RalphException.invalid(
          "a message has at most " + MOST_TAGS + " tags, not " + changed.tags.size());
    }
    changed.tags.forEach(tag -> OneLine.require("a tag", tag, LONGEST_WORD));
    return changed;
  }

  /** Returns this message, not to be delivered from that time on, to the millisecond. */
  public TxMessage deadline(Instant deadline) {
    TxMessage changed = new TxMessage(this);
    changed.deadline = deadline.truncatedTo(ChronoUnit.MILLIS);
    return changed;
  }

  /**
   * Returns this message, with that text in Markdown.
   *
   * @throws RalphException INVALID if it holds an unpaired surrogate
   */
  public TxMessage body(String body) {
    TxMessage changed = new TxMessage(this);
    changed.body = RalphException.requireUnicode("the body of a message", body);
    return changed;
  }

  /** Returns what it is for, or null. */
  public @Nullable TxType type() {
    return type;
  }

  /** Returns the word for how far its matter has got, or null. */
  public @Nullable String status() {
    return status;
  }

  /** Returns who wrote it, or null. */
  public @Nullable TxAddress from() {
    return from;
  }

  /** Returns whom it is for, or null. */
  public @Nullable TxAddress to() {
    return to;
  }

  /** Returns on whose behalf it was sent in the end, or null. */
  public @Nullable TxAddress requester() {
    return requester;
  }

  /** Returns its id, or null. */
  public @Nullable String id() {
    return id;
  }

  /** Returns the id of the message that it answers, or null. */
  public @Nullable String inReplyTo() {
    return inReplyTo;
  }

  /** Returns what it is about, in a line, or null. */
  public @Nullable String headline() {
    return headline;
  }

  /** Returns when it says that it was written, or null. */
  public @Nullable Instant timestamp() {
    return timestamp;
  }

  /** Returns whether it is delivered before others. */
  public Priority priority() {
    return priority;
  }

  /** Returns its tags, in the order of the file. */
  public List<String> tags() {
    return tags;
  }

  /** Returns until when it may be delivered, or null for ever. */
  public @Nullable Instant deadline() {
    return deadline;
  }

  /** Returns its text, in Markdown; may be empty. */
  public String body() {
    return body;
  }

  /** Returns the names of the fields that it must have in a file but lacks. */
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    require(to, TxField.TO, missing);
    require(from, TxField.FROM, missing);
    require(type, TxField.TYPE, missing);
    require(status, TxField.STATUS, missing);
    if (type != TxType.PROMPT) {
      require(requester, TxField.REQUESTER, missing);
    }
    require(id, TxField.ID, missing);
    if (type != null && type.isAnswer()) {
      require(inReplyTo, TxField.IN_REPLY_TO, missing);
    }
    if (type != TxType.PROMPT) {
      require(headline, TxField.HEADLINE, missing);
    }
    require(timestamp, TxField.TIMESTAMP, missing);
    return missing;
  }

  private static void require(@Nullable Object value, String field, List<String> missing) {
    if (value == null) {
      missing.add(field);
    }
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        type, status, from, to, requester, id, inReplyTo, headline, timestamp, priority, tags,
        deadline, body);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TxMessage m && values().equals(m.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return (type == null ? "message" : type.word()) + " " + id + " from " + from + " to " + to;
  }
}
