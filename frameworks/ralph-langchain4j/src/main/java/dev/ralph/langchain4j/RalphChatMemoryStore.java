package dev.ralph.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import java.util.List;

/**
 * Keeps chat memories in a store, by the text of their id, whatever it is made of. Only what
 * differs from the messages before is written; what a window drops stays in the log until the
 * memory is deleted. Safe for use by many threads and processes.
 */
public final class RalphChatMemoryStore implements ChatMemoryStore {

  private final ListLog lists;

  private RalphChatMemoryStore(ListLog lists) {
    this.lists = lists;
  }

  /** Returns the memories of that name in a store, such as {@code chats}. */
  public static RalphChatMemoryStore of(Ralph ralph, String name) {
    return new RalphChatMemoryStore(ListLog.of(ralph, name));
  }

  @Override
  public List<ChatMessage> getMessages(Object memoryId) {
    return lists.get(memoryId.toString()).stream()
        .map(ChatMessageDeserializer::messageFromJson)
        .toList();
  }

  @Override
  public void updateMessages(Object memoryId, List<ChatMessage> messages) {
    lists.replace(
        memoryId.toString(), messages.stream().map(ChatMessageSerializer::messageToJson).toList());
  }

  @Override
  public void deleteMessages(Object memoryId) {
    lists.delete(memoryId.toString());
  }

  /** Returns a page of the memories' ids, as {@link ListLog#ids} does. */
  public List<String> ids(String prefix, String after, int limit) {
    return lists.ids(prefix, after, limit);
  }
}
