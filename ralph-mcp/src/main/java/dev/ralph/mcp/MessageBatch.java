package dev.ralph.mcp;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Messages that came as one array, as protocol version 2025-03-26 allows. Their answers go as one
 * array, too, once all are there. Not safe for several threads.
 */
final class MessageBatch {

  private final List<Object> messages;
  private int missing;
  private final List<byte[]> answers = new ArrayList<>();
  private final List<Object> requests = new ArrayList<>();

  MessageBatch(List<Object> messages) {
    this.messages = messages;
    for (Object message : messages) {
      missing += wantsAnswer(message) ? 1 : 0;
    }
  }

  /** Returns whether a message is answered; notifications are not, nor is an answer. */
  private static boolean wantsAnswer(@Nullable Object message) {
    if (!(message instanceof Map<?, ?> members)) {
      return true;
    }
    boolean isAnswer =
        !members.containsKey("method")
            && (members.containsKey("result") || members.containsKey("error"));
    boolean isNotification =
        "2.0".equals(members.get("jsonrpc"))
            && members.get("method") instanceof String
            && !members.containsKey("id");
    return !isAnswer && !isNotification;
  }

  List<Object> messages() {
    return messages;
  }

  /**
   * Adds the answer to one of the messages.
   *
   * @param request what it answers, or null if no call was made
   */
  void add(byte[] answer, @Nullable Object request) {
    answers.add(answer);
    if (request != null) {
      requests.add(request);
    }
    missing--;
  }

  /** Takes note that a message gets no answer: its call was cancelled. */
  void skip() {
    missing--;
  }

  /** Returns whether all answers are there that will come. */
  boolean isComplete() {
    return missing <= 0;
  }

  /** Returns the requests that were answered. */
  List<Object> requests() {
    return requests;
  }

  /** Returns the answers as one array; nothing if there are none. */
  byte[] json() {
    ByteArrayOutputStream array = new ByteArrayOutputStream();
    for (byte[] answer : answers) {
      array.write(array.size() == 0 ? '[' : ',');
      array.writeBytes(answer);
    }
    if (array.size() > 0) {
      array.write(']');
    }
    return array.toByteArray();
  }
}
