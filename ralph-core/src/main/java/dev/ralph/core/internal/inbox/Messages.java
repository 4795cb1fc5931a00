package dev.ralph.core.internal.inbox;

import dev.ralph.Message;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All messages of a session at one moment. Immutable; safe for use by many threads. */
public final class Messages extends NumberedList<MessageEntry, Message> {

  private final TextSource texts;

  // Null until first asked for. Threads that ask at the same time make the same.
  private volatile @Nullable List<Message> unread;
  private volatile @Nullable List<Integer> unreadIndexes;

  Messages(NumberedState<MessageEntry> state, TextSource texts) {
    super(state, "message", 'm');
    this.texts = texts;
  }

  @Override
  public Message view(int index) {
    return new MessageView(index);
  }

  List<Message> unread() {
    List<Message> known = unread;
    if (known == null) {
      known = unreadIndexes().stream().map(this::view).toList();
      unread = known;
    }
    return known;
  }

  /** Returns the unread messages, each as number and the beginning of its text. */
  public List<String> unreadNames() {
    return unreadIndexes().stream().map(this::describe).toList();
  }

  /** Returns the indexes of the unread messages, in order. */
  List<Integer> unreadIndexes() {
    List<Integer> known = unreadIndexes;
    if (known == null) {
      List<Integer> found = new ArrayList<>();
      for (int i = 0; i < size(); i++) {
        if (!entry(i).read()) {
          found.add(i);
        }
      }
      known = List.copyOf(found);
      unreadIndexes = known;
    }
    return known;
  }

  /** Returns whether there is a message of that kind. */
  boolean any(Predicate<MessageEntry> kind) {
    return entries().stream().anyMatch(kind);
  }

  /** Returns the index of the message that was sent under that key, or -1. */
  int findKey(String key) {
    for (int i = 0; i < size(); i++) {
      if (key.equals(entry(i).key())) {
        return i;
      }
    }
    return -1;
  }

  /** One message, with its place among the others. */
  private final class MessageView extends Shown implements Message {

    MessageView(int index) {
      super(index);
    }

    @Override
    public String text() {
      return texts.whole(entry.id(), entry.text());
    }

    @Override
    public String beginning(int characters) {
      return texts.beginning(entry.id(), entry.text(), characters);
    }

    @Override
    public int length() {
      return entry.text().length();
    }

    @Override
    public String timestamp() {
      return entry.timestamp();
    }

    @Override
    public Instant sent() {
      return entry.sent();
    }

    @Override
    public @Nullable String by() {
      return entry.by();
    }

    @Override
    public boolean isRead() {
      return entry.read();
    }

    @Override
    public boolean isFollowUp() {
      return entry.followUp();
    }

    @Override
    public @Nullable String question() {
      return entry.question();
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(
          entry.text(), timestamp(), sent(), by(), isRead(), isFollowUp(), question());
    }

    @Override
    public String toString() {
      return describe(index) + (entry.read() ? " (read)" : " (unread)");
    }
  }
}
