package dev.ralph.core.internal.message;

import dev.ralph.core.internal.message.MessageEntry.Hold;
import dev.ralph.core.internal.message.MessageEntry.Status;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.TextSource;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of an inbox or a mailbox:
 *
 * <pre>
 * {status:unread, timestamp, n, by?, key?, agent?, follow_up?, question?, begins?, length?}
 *     + content           a new message; without an action, or with the action add. begins and
 *                         length only for a long content. agent is the number of the addressed
 *                         agent. A mail also has the members of an {@link MailHeaders}; with owner
 *                         and until, the message is leased to the owner at once
 * {action:mark_read, id, by?, agent?, iteration?, claim?}
 *                         agent: the number of the reading agent; iteration: the mark requires
 *                         the success of the iteration; claim: ignored unless the lease is held
 * {action:deliver, ids[], to, call?, until, iteration?}
 *                         delivered to an agent with the reply to a tool call, or on request;
 *                         the frame's id is the lease's token. Leases of agents in other
 *                         iterations stay
 * {action:renew, id, claim, until}           renews a lease
 * {action:release, id, claim}                ends a lease
 * {action:release, to}                       ends the leases of an agent
 * {action:iteration_end, iteration, heard}   ends the leases of an iteration's agents
 * {action:expire, ids[]}                     the deadlines have passed
 * {action:attend, by?}                       the first receipt from the box
 * {action:numbered, n}                       a message of that number was erased
 * </pre>
 *
 * <p>Frames of other programs may lack {@code n} and abbreviate ids. The fold ignores unreadable
 * frames.
 */
public final class MessageFold implements Fold<MessageState, Messages> {

  private final TextSource texts;
  private final String kind;

  private MessageFold(TextSource texts, String kind) {
    this.texts = Objects.requireNonNull(texts, "texts");
    this.kind = kind;
  }

  /**
   * Creates the fold for the messages of an inbox.
   *
   * @param texts reads long, read and expired messages from the log of the frames
   */
  public MessageFold(TextSource texts) {
    this(texts, "message");
  }

  /**
   * Returns the fold for the mail of a mailbox, with messages about mail.
   *
   * @param texts as above
   */
  public static MessageFold ofMail(TextSource texts) {
    return new MessageFold(texts, "mail");
  }

  @Override
  public String name() {
    return "ralph.inbox";
  }

  @Override
  public int version() {
    return 9;
  }

  @Override
  public MessageState initial() {
    return new MessageState();
  }

  @Override
  public Messages result(MessageState state) {
    return state.result(texts, kind);
  }

  @Override
  public MessageState apply(MessageState state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    switch (action == null ? "add" : action) {
      case "add" -> add(state, frame, meta);
      case "mark_read" -> markRead(state, meta);
      case "deliver" -> deliver(state, frame, meta);
      case "renew" -> renew(state, frame, meta);
      case "release" -> release(state, frame, meta);
      case "iteration_end" -> endIteration(state, frame, meta);
      case "expire" -> expire(state, meta);
      case "attend" -> state.attend();
      default -> state.messages().keepNumber(frame);
    }
    return state;
  }

  private static int iteration(Meta meta) {
    return number(meta, "iteration");
  }

  private static int number(Meta meta, String key) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, meta.integer(key).orElse(0)));
  }

  private static void markRead(MessageState state, Meta meta) {
    int index = state.messages().find(meta.string("id"));
    if (index >= 0) {
      MessageEntry message = state.messages().get(index);
      String claim = meta.string("claim");
      if (message.status != Status.EXPIRED && (claim == null || isHeldBy(claim, message))) {
        state.set(index, message.asRead(iteration(meta), number(meta, "agent")));
      }
    }
  }

  private static boolean isHeldBy(String claim, MessageEntry message) {
    Lease lease = message.lease();
    return lease != null && lease.isHeldBy(claim);
  }

  private static void deliver(MessageState state, Frame frame, Meta meta) {
    Lease lease = Lease.of(frame, meta.string("to"));
    if (lease == null) {
      return;
    }
    String call = meta.string("call");
    for (String id : meta.strings("ids")) {
      int index = state.messages().find(id);
      if (index >= 0 && state.messages().get(index).isUnread()) {
        state.set(index, state.messages().get(index).givenTo(lease, call, iteration(meta)));
      }
    }
  }

  /** Returns whether a frame delivered a message, with the frame's id as the lease's token. */
  static boolean isLease(Frame frame, MessageEntry message) {
    Meta meta = frame.meta();
    return frame.id().equals(message.id)
        ? Lease.of(frame) != null
        : "deliver".equals(meta.string("action"))
            && meta.strings("ids").stream().anyMatch(message.id::startsWith);
  }

  private static void renew(MessageState state, Frame frame, Meta meta) {
    int index = state.messages().find(meta.string("id"));
    String claim = meta.string("claim");
    if (index >= 0 && claim != null) {
      MessageEntry message = state.messages().get(index);
      state.set(index, isHeldBy(claim, message) ? message.renewed(frame) : message);
    }
  }

  private static void release(MessageState state, Frame frame, Meta meta) {
    String reader = meta.string("to");
    String claim = meta.string("claim");
    if (reader != null) {
      state.changeHeld(message -> message.releasedBy(reader, frame.time()));
    } else if (claim != null) {
      int index = state.messages().find(meta.string("id"));
      if (index >= 0 && isHeldBy(claim, state.messages().get(index))) {
        state.set(index, state.messages().get(index).released(frame.time()));
      }
    }
  }

  private static void endIteration(MessageState state, Frame frame, Meta meta) {
    int iteration = iteration(meta);
    boolean heard = meta.isTrue("heard");
    state.changeHeld(message -> message.iterationEnded(iteration, heard, frame.time()));
    if (!heard) {
      state.changeHeard(message -> message.iterationEnded(iteration, false, frame.time()));
    }
  }

  private static void expire(MessageState state, Meta meta) {
    for (String id : meta.strings("ids")) {
      int index = state.messages().find(id);
      if (index >= 0 && state.messages().get(index).isUnread()) {
        state.set(index, state.messages().get(index).expired());
      }
    }
  }

  private static void add(MessageState state, Frame frame, Meta meta) {
    String id = frame.id();
    if (state.messages().contains(id)) {
      return;
    }
    String timestamp = meta.string("timestamp");
    Lease lease = Lease.of(frame);
    boolean read = "read".equals(meta.string("status"));
    int number = state.messages().takeNumber(frame); // first: a lost content costs no number
    KeptText text = KeptText.of(frame);
    state.add(
        new MessageEntry(
            id,
            number,
            timestamp == null ? Timestamp.of(frame.time()) : timestamp,
            read ? new KeptText("", text.length()) : text,
            frame.time(),
            meta.string("by"),
            meta.string("key"),
            meta.isTrue("follow_up"),
            meta.string("question"),
            MailHeaders.of(meta),
            number(meta, "agent"),
            read ? Status.READ : Status.UNREAD,
            0,
            0,
            false,
            lease == null || read ? null : new Hold(lease, List.of(), 0, null)));
  }

  @Override
  public Optional<Codec<MessageState>> codec() {
    return Optional.of(CODEC);
  }

  // Bits for the optional parts of an encoded message. Most messages have few.
  private static final int STATUS = 3;
  private static final int DELIVERED = 1 << 2;
  private static final int FOLLOW_UP = 1 << 3;
  private static final int OWN_TIMESTAMP = 1 << 4;
  private static final int BY = 1 << 5;
  private static final int KEY = 1 << 6;
  private static final int QUESTION = 1 << 7;
  private static final int ENVELOPE = 1 << 8;
  private static final int HEARD = 1 << 9;
  private static final int HOLD = 1 << 10;
  private static final int TEXT = 1 << 11;
  private static final int AGENT = 1 << 12;
  private static final int READ_BY = 1 << 13;

  private static final NumberedState.Codec<MessageEntry> MESSAGES =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(MessageEntry message, Output out) {
          Instant written = Timestamp.parse(message.timestamp);
          if (written != null && !Timestamp.of(written).equals(message.timestamp)) {
            written = null; // encoding as a number would change the text
          }
          out.text(message.id);
          out.number(message.number);
          out.number(
              message.status.ordinal()
                  | (message.delivered ? DELIVERED : 0)
                  | (message.followUp ? FOLLOW_UP : 0)
                  | (written == null ? OWN_TIMESTAMP : 0)
                  | (message.by == null ? 0 : BY)
                  | (message.key == null ? 0 : KEY)
                  | (message.question == null ? 0 : QUESTION)
                  | (message.envelope == MailHeaders.EMPTY ? 0 : ENVELOPE)
                  | (message.heardIn == 0 ? 0 : HEARD)
                  | (message.hold == null ? 0 : HOLD)
                  | (message.text.beginning().isEmpty() ? 0 : TEXT)
                  | (message.agent == 0 ? 0 : AGENT)
                  | (message.readBy == 0 ? 0 : READ_BY));
          out.number(message.text.length());
          out.number(message.sent.toEpochMilli());
          if (written != null) {
            out.number(written.toEpochMilli() - message.sent.toEpochMilli());
          } else {
            out.text(message.timestamp);
          }
          if (!message.text.beginning().isEmpty()) {
            out.text(message.text.beginning());
          }
          writeIfThere(message.by, out);
          writeIfThere(message.key, out);
          writeIfThere(message.question, out);
          if (message.envelope != MailHeaders.EMPTY) {
            MailHeaders.write(message.envelope, out);
          }
          if (message.agent != 0) {
            out.number(message.agent);
          }
          if (message.readBy != 0) {
            out.number(message.readBy);
          }
          if (message.heardIn != 0) {
            out.number(message.heardIn);
          }
          for (Hold hold = message.hold; hold != null; hold = hold.other()) {
            out.lease(hold.lease());
            MailHeaders.write(hold.calls(), out);
            out.number(hold.iteration());
            out.bool(hold.other() != null);
          }
        }

        private void writeIfThere(@Nullable String text, Output out) {
          if (text != null) {
            out.text(text);
          }
        }

        @Override
        protected MessageEntry readEntry(Input in, int size) throws IOException {
          String id = in.text();
          int number = in.integer();
          int kept = in.integer();
          int length = in.integer();
          long sent = in.number();
          return new MessageEntry(
              id,
              number,
              (kept & OWN_TIMESTAMP) == 0
                  ? Timestamp.of(Instant.ofEpochMilli(sent + in.number()))
                  : in.text(),
              new KeptText((kept & TEXT) == 0 ? "" : in.text(), length),
              Instant.ofEpochMilli(sent),
              (kept & BY) == 0 ? null : in.text(),
              (kept & KEY) == 0 ? null : in.text(),
              (kept & FOLLOW_UP) != 0,
              (kept & QUESTION) == 0 ? null : in.text(),
              (kept & ENVELOPE) == 0 ? MailHeaders.EMPTY : MailHeaders.read(in),
              (kept & AGENT) == 0 ? 0 : in.integer(),
              Status.values()[kept & STATUS],
              (kept & READ_BY) == 0 ? 0 : in.integer(),
              (kept & HEARD) == 0 ? 0 : in.integer(),
              (kept & DELIVERED) != 0,
              (kept & HOLD) == 0 ? null : hold(in));
        }

        private Hold hold(Input in) throws IOException {
          Lease lease = in.leaseOrNull();
          if (lease == null) {
            throw new IOException("a lease expected");
          }
          List<String> calls = MailHeaders.texts(in);
          int iteration = in.integer();
          return new Hold(lease, calls, iteration, in.bool() ? hold(in) : null);
        }
      };

  private static final Codec<MessageState> CODEC = new MessageState.Codec(MESSAGES);
}
