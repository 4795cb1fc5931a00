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
 * Keeps conversations in a store, by any id. Only changed messages are written; messages that a
 * window drops stay in the log until the conversation is deleted. Messages are read back as they
 * were saved, with the types of their metadata; unpaired surrogates are replaced by U+FFFD. Safe
 * for use by many threads and processes.
 */
public final class RalphChatMemoryRepository implements ChatMemoryRepository {

  private static final System.Logger LOG =
      System.getLogger(RalphChatMemoryRepository.class.getName());

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

  /** Returns a conversation's messages. One that cannot be read is left out, and logged. */
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
                + " is left out, because it cannot be read: "
                + e);
      }
    }
    return messages;
  }

  /**
   * Makes these the conversation's messages.
   *
   * @throws RalphException UNSUPPORTED if a message's class, media or metadata cannot be stored;
   *     the message names it. Nothing was written
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
