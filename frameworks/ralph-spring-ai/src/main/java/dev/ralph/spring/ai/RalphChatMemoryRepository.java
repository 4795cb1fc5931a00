package dev.ralph.spring.ai;

import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.messages.Message;

/**
 * A repository of conversations in a Ralph store, with any ids. Only changed messages are written.
 * Messages that a window drops stay in the log until the conversation is deleted. Messages are read
 * back as saved, including the types of their metadata, except that unpaired surrogates are
 * replaced by U+FFFD. Safe for use by many threads and processes.
 */
public final class RalphChatMemoryRepository implements ChatMemoryRepository {

  private static final System.Logger LOG =
      System.getLogger(RalphChatMemoryRepository.class.getName());

  private final ListLog lists;

  private RalphChatMemoryRepository(ListLog lists) {
    this.lists = lists;
  }

  /** Returns the conversations with a name in a store, such as {@code chats}. */
  public static RalphChatMemoryRepository of(Ralph ralph, String name) {
    return new RalphChatMemoryRepository(ListLog.of(ralph, name));
  }

  @Override
  public List<String> findConversationIds() {
    return ids("", "", Integer.MAX_VALUE);
  }

  /** Returns a page of the ids of conversations, as {@link ListLog#ids} does. */
  public List<String> ids(String prefix, String after, int limit) {
    return lists.ids(prefix, after, limit);
  }

  /** Returns the messages of a conversation. Unreadable messages are left out and logged. */
  @Override
  public List<Message> findByConversationId(String conversationId) {
    List<Message> messages = new ArrayList<>();
    List<String> texts = lists.get(conversationId);
    for (int i = 0; i < texts.size(); i++) {
      try {
        messages.add(MessageJson.message(texts.get(i)));
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "message "
                + (i + 1)
                + " of the conversation "
                + RalphException.quote(conversationId)
                + " was skipped because of a read failure: "
                + e);
      }
    }
    return messages;
  }

  /**
   * Replaces the messages of a conversation.
   *
   * @throws RalphException UNSUPPORTED if a message's class, media or metadata cannot be stored;
   *     the exception names the unsupported part. Nothing was written
   */
  @Override
  public void saveAll(String conversationId, List<Message> messages) {
    lists.replace(conversationId, messages.stream().map(MessageJson::of).toList());
  }

  @Override
  public void deleteByConversationId(String conversationId) {
    lists.delete(conversationId);
  }
}
