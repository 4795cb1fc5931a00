package dev.ralph.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store of chat memories in a Ralph store, keyed by the string form of their ids. Only changed
 * messages are written. Messages that a window drops stay in the log until the memory is deleted.
 * Messages are read back as saved, except that unpaired surrogates are replaced by U+FFFD. Safe for
 * use by many threads and processes.
 */
public final class RalphChatMemoryStore implements ChatMemoryStore {

  private static final System.Logger LOG = System.getLogger(RalphChatMemoryStore.class.getName());

  private final ListLog lists;

  private RalphChatMemoryStore(ListLog lists) {
    this.lists = lists;
  }

  /** Returns the memories with a name in a store, such as {@code chats}. */
  public static RalphChatMemoryStore of(Ralph ralph, String name) {
    return new RalphChatMemoryStore(ListLog.of(ralph, name));
  }

  /** Returns the messages of a memory. Unreadable messages are left out and logged. */
  @Override
  public List<ChatMessage> getMessages(Object memoryId) {
    List<ChatMessage> messages = new ArrayList<>();
    List<String> texts = lists.get(memoryId.toString());
    for (int i = 0; i < texts.size(); i++) {
      try {
        messages.add(Objects.requireNonNull(ChatMessageDeserializer.messageFromJson(texts.get(i))));
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "message "
                + (i + 1)
                + " of the memory "
                + RalphException.quote(memoryId.toString())
                + " was skipped because of a read failure: "
                + e);
      }
    }
    return messages;
  }

  /**
   * Replaces the messages of a memory.
   *
   * @throws RalphException UNSUPPORTED if a message would change when it is read back. Examples are
   *     a message of a custom class, or an attribute whose type is lost in JSON. The exception
   *     names the message. Nothing was written
   */
  @Override
  public void updateMessages(Object memoryId, List<ChatMessage> messages) {
    Set<String> known = new HashSet<>(lists.get(memoryId.toString()));
    List<String> texts = new ArrayList<>();
    for (ChatMessage message : messages) {
      String text = ChatMessageSerializer.messageToJson(message);
      if (!known.contains(text)) {
        requireReadable(message, text);
      }
      texts.add(text);
    }
    lists.replace(memoryId.toString(), texts);
  }

  private static void requireReadable(ChatMessage message, String text) {
    ChatMessage read;
    try {
      read = ChatMessageDeserializer.messageFromJson(text);
    } catch (RuntimeException e) {
      throw unsupported(message, e.getMessage());
    }
    if (!message.equals(read)) {
      throw unsupported(
          message, "read back as " + read + "; use text, int or double for attributes");
    }
    if (read.getClass() != message.getClass()) {
      throw unsupported(message, "read back as a " + read.getClass().getName());
    }
  }

  private static RalphException unsupported(ChatMessage message, @Nullable String reason) {
    return RalphException.unsupported(
        "the message "
            + message
            + " of the class "
            + message.getClass().getName()
            + " cannot be stored: "
            + reason);
  }

  @Override
  public void deleteMessages(Object memoryId) {
    lists.delete(memoryId.toString());
  }

  /** Returns a page of the ids of memories, as {@link ListLog#ids} does. */
  public List<String> ids(String prefix, String after, int limit) {
    return lists.ids(prefix, after, limit);
  }
}
