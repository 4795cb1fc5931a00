package dev.ralph.mcp;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replies to a batch of messages, as protocol version 2025-03-26 allows. The replies are sent
 * as one array when all are complete. Not safe for several threads.
 */
final class ReplyBatch {

  private int missing;
  private final List<String> replies = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();

  /**
   * Creates an empty batch of replies.
   *
   * @param messages the number of messages
   */
  ReplyBatch(int messages) {
    missing = messages;
  }

  /**
   * Adds the reply to a message.
   *
   * @param reply the reply, or null for a notification or a cancelled call
   * @param written runs after the reply was written
   */
  void add(@Nullable String reply, Runnable written) {
    missing--;
    if (reply != null) {
      replies.add(reply);
      afterwards.add(written);
    }
  }

  boolean isComplete() {
    return missing == 0;
  }

  boolean isEmpty() {
    return replies.isEmpty();
  }

  /** Returns the replies as a JSON array. */
  String json() {
    return "[" + String.join(",", replies) + "]";
  }

  /** Runs the actions of all written replies. */
  void written() {
    afterwards.forEach(Runnable::run);
  }
}
