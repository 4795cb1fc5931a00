package dev.ralph.core.internal.message;

import dev.ralph.domain.IndexSet;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.Priority;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.function.UnaryOperator;

/**
 * The state of the message fold: the messages, and sets of their indexes, so that no query scans
 * the settled messages. Not thread-safe, as every state of a fold.
 */
public final class MessageState {

  private static final int UNREAD = 0;

  /** The first of three sets, one per priority. */
  private static final int URGENT = 1;

  private static final int HELD = URGENT + Priority.values().length;
  private static final int DUE = HELD + 1;
  private static final int HEARD = DUE + 1;
  private static final int HEARD_WITH_TEXT = HEARD + 1;
  private static final int SETS = HEARD_WITH_TEXT + 1;

  private final NumberedState<MessageEntry> messages;
  private final IndexSet[] sets;
  private final KeyTable keys;

  /** The iteration whose conditionally read messages are kept with their text; 0 for none. */
  private int heardIn;

  private boolean attended;

  MessageState() {
    this(new NumberedState<>(), new IndexSet[SETS], new KeyTable());
    for (int i = 0; i < SETS; i++) {
      sets[i] = new IndexSet();
    }
  }

  private MessageState(NumberedState<MessageEntry> messages, IndexSet[] sets, KeyTable keys) {
    this.messages = messages;
    this.sets = sets;
    this.keys = keys;
  }

  /** Returns the messages; only the methods below change them. */
  NumberedState<MessageEntry> messages() {
    return messages;
  }

  Messages result(TextSource texts, String kind) {
    return new Messages(messages, texts, kind, new Kinds(sets), keys.copy(), attended);
  }

  void attend() {
    attended = true;
  }

  void add(MessageEntry message) {
    int index = messages.size();
    messages.add(message);
    note(index, message);
    if (message.key != null) {
      keys.add(message.key, index);
    }
  }

  /** Replaces a message by its changed entry. */
  void set(int index, MessageEntry message) {
    if (message == messages.get(index)) {
      return;
    }
    if (message.heardIn != 0 && message.heardIn != heardIn) {
      leaveTexts();
      heardIn = message.heardIn;
    }
    messages.set(index, message);
    note(index, message);
  }

  private void note(int index, MessageEntry message) {
    boolean unread = message.isUnread();
    sets[UNREAD].put(index, unread);
    sets[URGENT + message.envelope.priority().ordinal()].put(index, unread);
    sets[HELD].put(index, unread && message.hold != null);
    sets[DUE].put(index, unread && message.envelope.deadline() != null);
    sets[HEARD].put(index, message.heardIn != 0);
    sets[HEARD_WITH_TEXT].put(index, message.heardIn != 0);
  }

  /**
   * Drops the kept texts. A new iteration starts after the previous one has ended and settled its
   * messages.
   */
  private void leaveTexts() {
    IndexSet kept = sets[HEARD_WITH_TEXT];
    for (int i = kept.next(0); i >= 0; i = kept.next(i + 1)) {
      messages.set(i, messages.get(i).withoutText());
      kept.put(i, false);
    }
  }

  /** Changes the unread messages with a hold. */
  void changeHeld(UnaryOperator<MessageEntry> change) {
    change(sets[HELD], change);
  }

  /** Changes the messages whose read mark requires the success of an iteration. */
  void changeHeard(UnaryOperator<MessageEntry> change) {
    change(sets[HEARD], change);
  }

  private void change(IndexSet kind, UnaryOperator<MessageEntry> change) {
    IndexSet all = kind.copy();
    for (int i = all.next(0); i >= 0; i = all.next(i + 1)) {
      set(i, change.apply(messages.get(i)));
    }
  }

  /** The index sets at one moment. */
  static final class Kinds {
    private final IndexSet[] sets;

    private Kinds(IndexSet[] sets) {
      this.sets = new IndexSet[SETS];
      for (int i = 0; i < SETS; i++) {
        this.sets[i] = sets[i].copy();
      }
    }

    IndexSet unread() {
      return sets[UNREAD];
    }

    IndexSet unread(Priority priority) {
      return sets[URGENT + priority.ordinal()];
    }

    /** Returns the unread messages with a hold; its lease may have expired. */
    IndexSet held() {
      return sets[HELD];
    }

    /** Returns the unread messages with a deadline, past or future. */
    IndexSet due() {
      return sets[DUE];
    }

    /** Returns the messages whose read mark requires the success of an iteration. */
    IndexSet readDuringIteration() {
      return sets[HEARD];
    }
  }

  /** Encodes the state: the sets, the keys, then the messages. Messages are decoded on demand. */
  static final class Codec implements Fold.Codec<MessageState> {

    private static final int HEADER = 4 * Integer.BYTES;

    private final NumberedState.Codec<MessageEntry> messages;

    Codec(NumberedState.Codec<MessageEntry> messages) {
      this.messages = messages;
    }

    @Override
    public byte[] encode(MessageState state) {
      byte[] entries = messages.encode(state.messages);
      int words = 0;
      for (IndexSet set : state.sets) {
        words += 1 + set.words();
      }
      int keys = Integer.BYTES * KeyTable.numbers(state.keys.size());
      ByteBuffer bytes =
          ByteBuffer.allocate(HEADER + Long.BYTES * words + keys + entries.length)
              .putInt(words)
              .putInt(state.keys.size())
              .putInt(state.heardIn)
              .putInt(state.attended ? 1 : 0);
      LongBuffer numbers = bytes.slice().asLongBuffer();
      for (IndexSet set : state.sets) {
        numbers.put(set.words());
        set.write(numbers);
      }
      bytes.position(HEADER + Long.BYTES * words);
      state.keys.write(bytes.slice().asIntBuffer());
      bytes.position(bytes.position() + keys);
      return bytes.put(entries).array();
    }

    @Override
    public MessageState decode(byte[] encoded) {
      ByteBuffer bytes = ByteBuffer.wrap(encoded);
      int words = bytes.getInt();
      int keyCount = bytes.getInt();
      int heardIn = bytes.getInt();
      boolean attended = bytes.getInt() == 1;
      IndexSet[] sets = new IndexSet[SETS];
      LongBuffer numbers = bytes.slice().asLongBuffer();
      for (int i = 0; i < SETS; i++) {
        sets[i] = IndexSet.read(numbers, Math.toIntExact(numbers.get()));
      }
      bytes.position(HEADER + Long.BYTES * words);
      KeyTable keys = KeyTable.read(bytes.slice().asIntBuffer(), keyCount);
      bytes.position(bytes.position() + Integer.BYTES * KeyTable.numbers(keyCount));
      MessageState state = new MessageState(messages.decode(encoded, bytes.position()), sets, keys);
      state.heardIn = heardIn;
      state.attended = attended;
      return state;
    }
  }
}
