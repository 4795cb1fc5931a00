package dev.ralph.core.internal.inbox;

import dev.ralph.Message;
import dev.ralph.core.internal.reference.References;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;

/** All messages of a session at one moment. Immutable; safe for use by many threads. */
public final class Messages {

  private final List<MessageEntry> entries;
  private final int highestNumber;
  private final References<MessageEntry> references;

  // Null until first asked for. Threads that ask at the same time make the same.
  @Nullable private volatile List<Message> all;
  @Nullable private volatile List<Message> unread;
  @Nullable private volatile List<Integer> unreadIndexes;

  Messages(References<MessageEntry> references, int highestNumber) {
    this.entries = references.things();
    this.highestNumber = highestNumber;
    this.references = references;
  }

  List<Message> all() {
    List<Message> known = all;
    if (known == null) {
      Message[] shown = new Message[entries.size()];
      Arrays.setAll(shown, this::message);
      known = List.of(shown);
      all = known;
    }
    return known;
  }

  List<Message> unread() {
    List<Message> known = unread;
    if (known == null) {
      known = unreadIndexes().stream().map(this::message).toList();
      unread = known;
    }
    return known;
  }

  /** Returns the indexes of the unread messages, in order. */
  List<Integer> unreadIndexes() {
    List<Integer> known = unreadIndexes;
    if (known == null) {
      List<Integer> found = new ArrayList<>();
      for (int i = 0; i < entries.size(); i++) {
        if (!entries.get(i).read) {
          found.add(i);
        }
      }
      known = List.copyOf(found);
      unreadIndexes = known;
    }
    return known;
  }

  Message get(String ref) {
    return message(find(ref));
  }

  Message message(int index) {
    return new MessageView(index);
  }

  MessageEntry entry(int index) {
    return entries.get(index);
  }

  int find(String ref) {
    return references.find(ref);
  }

  int highestNumber() {
    return highestNumber;
  }

  /** Returns the index of the message that was sent under that key, or -1. */
  int findKey(String key) {
    for (int i = 0; i < entries.size(); i++) {
      if (key.equals(entries.get(i).key)) {
        return i;
      }
    }
    return -1;
  }

  /** One message, with its place among the others. */
  private final class MessageView implements Message {
    private final int index;
    private final MessageEntry entry;

    MessageView(int index) {
      this.index = index;
      this.entry = entries.get(index);
    }

    @Override
    public String id() {
      return entry.id();
    }

    @Override
    public String shortId() {
      return references.shortId(index);
    }

    @Override
    public int number() {
      return entry.number();
    }

    @Override
    public String text() {
      return entry.text;
    }

    @Override
    public String timestamp() {
      return entry.timestamp;
    }

    @Override
    public Instant sent() {
      return entry.sent;
    }

    @Override
    @Nullable
    public String by() {
      return entry.by;
    }

    @Override
    public boolean isRead() {
      return entry.read;
    }

    @Override
    public boolean isFollowUp() {
      return entry.followUp;
    }

    @Override
    @Nullable
    public String question() {
      return entry.question;
    }

    @Override
    public String toString() {
      return references.describe(index) + (entry.read ? " (read)" : " (unread)");
    }
  }
}
