package dev.ralph.spring.ai;

import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import java.util.List;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.messages.Message;

/**
 * Keeps conversations in a store, by any id. Only what differs from the messages before is written;
 * what a window drops stays in the log until the conversation is deleted. Of a message's metadata
 * those values are kept that JSON has. Safe for use by many threads and processes.
 */
public final class RalphChatMemoryRepository implements ChatMemoryRepository {

  private final ListLog lists;

  private RalphChatMemoryRepository(ListLog lists) {
    this.lists = lists;
  }

  /** Returns the conversations of that name in a store, such as {@code chats}. */
  public static RalphChatMemoryRepository of(Ralph ralph, String name) {
    return new RalphChatMemoryRepository(ListLog.of(ralph, name));
  }

  @Override
  public List<String> findConversationIds() {
    return ids("", "", Integer.MAX_VALUE);
  }

  /** Returns a page of the conversations' ids, as {@link ListLog#ids} does. */
  public List<String> ids(String prefix, String after, int limit) {
    return lists.ids(prefix, after, limit);
  }

  @Override
  public List<Message> findByConversationId(String conversationId) {
    return lists.get(conversationId).stream().map(MessageJson::message).toList();
  }

  @Override
  public void saveAll(String conversationId, List<Message> messages) {
    lists.replace(conversationId, messages.stream().map(MessageJson::of).toList());
  }

  @Override
  public void deleteByConversationId(String conversationId) {
    lists.delete(conversationId);
  }
}
