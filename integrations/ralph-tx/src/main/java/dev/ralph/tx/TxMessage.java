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
 * A message between agents, in the format of TX's files. Each method with a value returns a changed
 * message. A message that was read may lack any field; a message to write must have all required
 * fields, see {@link TxFolder#write}.
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
 * <p>Immutable; safe for use by many threads.
 */
public final class TxMessage {

  /** Limit of ids, status words and tags, because they become part of the envelope of a mail. */
  private static final int LONGEST_WORD = 200;

  /** Limit of headlines, the same as for mails. */
  private static final int LONGEST_HEADLINE = 500;

  /** Limit of tags, the same as for mails. */
  private static final int MOST_TAGS = 50;

  /** An empty message without a type. */
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
   * Returns an empty message of a type with the usual status: {@code complete} for answers and
   * updates, otherwise {@code start}.
   */
  public static TxMessage of(TxType type) {
    boolean over = type.isAnswer() || type == TxType.UPDATE;
    return EMPTY.type(type).status(over ? "complete" : "start");
  }

  /**
   * Returns an answer to this message, without an id, headline and body. The answer goes to the
   * sender, in the same thread and on behalf of the same requester.
   *
   * @throws RalphException INVALID if this message has no id
   */
  public TxMessage reply(TxType type) {
    if (id == null) {
      throw RalphException.invalid("cannot answer a message without a msg-id");
    }
    TxMessage reply = new TxMessage(of(type));
    reply.from = to;
    reply.to = from;
    reply.requester = requester == null ? from : requester;
    reply.inReplyTo = id;
    return reply;
  }

  /** Returns this message with a type. */
  TxMessage type(TxType type) {
    TxMessage changed = new TxMessage(this);
    changed.type = Objects.requireNonNull(type, "type");
    return changed;
  }

  /**
   * Returns this message with a status, a word for the progress of the work. TX defines {@code
   * start}, {@code in-progress}, {@code rejected}, {@code approved}, {@code complete} and {@code
   * blocked}; a mesh may define other words.
   *
   * @throws RalphException INVALID if the word is blank, contains invisible characters, or has more
   *     than 200 characters
   */
  public TxMessage status(String status) {
    TxMessage changed = new TxMessage(this);
    changed.status = OneLine.require("a status", status, LONGEST_WORD);
    return changed;
  }

  /**
   * Returns this message with a sender.
   *
   * @param from see {@link TxAddress#parse}
   */
  public TxMessage from(String from) {
    return from(TxAddress.parse(from));
  }

  /** Returns this message with a sender. */
  public TxMessage from(TxAddress from) {
    TxMessage changed = new TxMessage(this);
    changed.from = Objects.requireNonNull(from, "from");
    return changed;
  }

  /**
   * Returns this message with a recipient.
   *
   * @param to see {@link TxAddress#parse}
   */
  public TxMessage to(String to) {
    return to(TxAddress.parse(to));
  }

  /** Returns this message with a recipient. */
  public TxMessage to(TxAddress to) {
    TxMessage changed = new TxMessage(this);
    changed.to = Objects.requireNonNull(to, "to");
    return changed;
  }

  /**
   * Returns this message with a requester, the agent on whose behalf the message is ultimately
   * sent.
   *
   * @param requester see {@link TxAddress#parse}
   */
  public TxMessage requester(String requester) {
    return requester(TxAddress.parse(requester));
  }

  /**
   * Returns this message with a requester, the agent on whose behalf the message is ultimately
   * sent.
   */
  public TxMessage requester(TxAddress requester) {
    TxMessage changed = new TxMessage(this);
    changed.requester = Objects.requireNonNull(requester, "requester");
    return changed;
  }

  /**
   * Returns this message with an id.
   *
   * @throws RalphException INVALID if the id is blank, contains invisible characters, or has more
   *     than 200 characters
   */
  public TxMessage id(String id) {
    TxMessage changed = new TxMessage(this);
    changed.id = OneLine.require("a msg-id", id, LONGEST_WORD);
    return changed;
  }

  /** Returns this message with a unique id of 25 lower-case letters and digits. */
  public TxMessage newId() {
    return id(new Scru128(Clock.systemUTC()).next());
  }

  /**
   * Returns this message as an answer to another message, or in its thread. {@link #reply} sets the
   * requester as well.
   *
   * @throws RalphException INVALID if the id is blank, contains invisible characters, or has more
   *     than 200 characters
   */
  public TxMessage inReplyTo(String id) {
    TxMessage changed = new TxMessage(this);
    changed.inReplyTo = OneLine.require("in-reply-to", id, LONGEST_WORD);
    return changed;
  }

  /**
   * Returns this message with a headline, a subject of a single line.
   *
   * @throws RalphException INVALID if the headline is blank, contains invisible characters, or has
   *     more than 500 characters
   */
  public TxMessage headline(String headline) {
    TxMessage changed = new TxMessage(this);
    changed.headline = OneLine.require("a headline", headline, LONGEST_HEADLINE);
    return changed;
  }

  /** Returns this message with a timestamp, truncated to milliseconds. */
  public TxMessage timestamp(Instant timestamp) {
    TxMessage changed = new TxMessage(this);
    changed.timestamp = timestamp.truncatedTo(ChronoUnit.MILLIS);
    return changed;
  }

  /** Returns this message with a priority. Messages with a higher priority are delivered first. */
  public TxMessage priority(Priority priority) {
    TxMessage changed = new TxMessage(this);
    changed.priority = Objects.requireNonNull(priority, "priority");
    return changed;
  }

  /**
   * Returns this message with these tags only.
   *
   * @throws RalphException INVALID if there are more than 50 tags, or a tag is blank, contains
   *     invisible characters, or has more than 200 characters
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

  /**
   * Returns this message with a deadline, truncated to milliseconds. From this time on the message
   * is not delivered.
   */
  public TxMessage deadline(Instant deadline) {
    TxMessage changed = new TxMessage(this);
    changed.deadline = deadline.truncatedTo(ChronoUnit.MILLIS);
    return changed;
  }

  /**
   * Returns this message with a body in Markdown.
   *
   * @throws RalphException INVALID if the body contains an unpaired surrogate
   */
  public TxMessage body(String body) {
    TxMessage changed = new TxMessage(this);
    changed.body = RalphException.requireUnicode("the body of a message", body);
    return changed;
  }

  /** Returns the type, or null. */
  public @Nullable TxType type() {
    return type;
  }

  /** Returns the status, or null. */
  public @Nullable String status() {
    return status;
  }

  /** Returns the sender, or null. */
  public @Nullable TxAddress from() {
    return from;
  }

  /** Returns the recipient, or null. */
  public @Nullable TxAddress to() {
    return to;
  }

  /** Returns the agent on whose behalf the message is ultimately sent, or null. */
  public @Nullable TxAddress requester() {
    return requester;
  }

  /** Returns the id, or null. */
  public @Nullable String id() {
    return id;
  }

  /** Returns the id of the answered message, or null. */
  public @Nullable String inReplyTo() {
    return inReplyTo;
  }

  /** Returns the headline, a single line, or null. */
  public @Nullable String headline() {
    return headline;
  }

  /** Returns the time of writing, or null. */
  public @Nullable Instant timestamp() {
    return timestamp;
  }

  /** Returns the priority. */
  public Priority priority() {
    return priority;
  }

  /** Returns the tags, in the order of the file. */
  public List<String> tags() {
    return tags;
  }

  /** Returns the time from which the message is not delivered, or null for no deadline. */
  public @Nullable Instant deadline() {
    return deadline;
  }

  /** Returns the body in Markdown; may be empty. */
  public String body() {
    return body;
  }

  /** Returns the names of required fields that are missing. */
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
