package dev.ralph.mcp;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replies to messages that came as one array, as protocol version 2025-03-26 allows: they go as
 * one array, too, once all are there. Not safe for several threads.
 */
final class ReplyBatch {

  private int missing;
  private final List<String> replies = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();

  /**
   * @param messages how many there are
   */
  ReplyBatch(int messages) {
    missing = messages;
  }

  /**
   * Takes what a message is answered with.
   *
   * @param reply null if there is none: it wants none, or its call was cancelled
   * @param written what to do when the reply was written
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

  /** Returns the replies as an array. */
  String json() {
    return "[" + String.join(",", replies) + "]";
  }

  /** Does what is to be done when the replies were written. */
  void written() {
    afterwards.forEach(Runnable::run);
  }
}
