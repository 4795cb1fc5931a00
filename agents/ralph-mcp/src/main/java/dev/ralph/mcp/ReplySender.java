package dev.ralph.mcp;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends replies and progress notifications to a client. Reports when a reply was sent, so that
 * messages in the reply are not shown again. Safe for use by many threads.
 */
final class ReplySender {

  private static final Meta SERVER = Meta.of("name", "ralph").with("version", Ralph.version());

  private final ReentrantLock writing = new ReentrantLock();

  /**
   * The data needed to reply to a message.
   *
   * @param id the id in JSON, or the word null if it is unknown
   * @param batch the batch of the message, or null for a single message
   * @param replies receives the replies
   * @param isStateless whether the message uses a revision without sessions; results of the
   *     revision have additional members
   */
  record Sender(
      String id, @Nullable ReplyBatch batch, SessionServer.Replies replies, boolean isStateless) {

    Sender(String id, @Nullable ReplyBatch batch, SessionServer.Replies replies) {
      this(id, batch, replies, false);
    }

    Sender stateless() {
      return new Sender(id, batch, replies, true);
    }
  }

  /** Returns the name and version of this server for clients. */
  static Meta server() {
    return SERVER;
  }

  /**
   * Returns the lock that is held while a reply is written and its messages are marked as shown.
   */
  ReentrantLock writing() {
    return writing;
  }

  /** Sends the result of a request. */
  void result(Sender sender, Meta result) {
    result(sender, result, () -> {});
  }

  /**
   * Sends the result of a request.
   *
   * @param written runs after the result was written
   */
  void result(Sender sender, Meta result, Runnable written) {
    Meta whole =
        sender.isStateless()
            ? result
                .with("resultType", "complete")
                .with("_meta", meta(result).with(RequestMeta.PREFIX + "serverInfo", SERVER))
            : result;
    String reply = json(sender, "result", whole);
    reply(sender, reply, replies -> replies.send(reply), written);
  }

  private static Meta meta(Meta result) {
    Meta meta = result.object("_meta");
    return meta == null ? Meta.empty() : meta;
  }

  /** Sends an error. */
  void error(Sender sender, int code, String reason) {
    error(sender, code, reason, null);
  }

  /**
   * Sends an error.
   *
   * @param data details for the client program, or null
   */
  void error(Sender sender, int code, String reason, @Nullable Meta data) {
    Meta error = Meta.of("code", code).with("message", reason).with("data", data);
    String reply = json(sender, "error", error);
    reply(sender, reply, replies -> replies.refuse(code, reply), () -> {});
  }

  /** Ends a message without a reply: a notification or a cancelled call. */
  void none(Sender sender) {
    reply(sender, null, replies -> false, () -> {});
  }

  /**
   * Sends a notification during a request.
   *
   * @return false if the notification cannot be sent
   */
  boolean notify(Sender sender, String method, Meta params) {
    String message = Meta.of("jsonrpc", "2.0").with("method", method).with("params", params).json();
    writing.lock();
    try {
      return sender.replies().sendBeforeReply(message);
    } finally {
      writing.unlock();
    }
  }

  private static String json(Sender sender, String kind, Meta value) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + sender.id() + ",\"" + kind + "\":" + value.json() + "}";
  }

  /**
   * Sends a reply, or keeps the reply until its batch is complete.
   *
   * @param reply the reply, or null for none
   * @param sending sends the reply if it belongs to no batch
   */
  private void reply(
      Sender sender,
      @Nullable String reply,
      Predicate<SessionServer.Replies> sending,
      Runnable written) {
    writing.lock();
    try {
      ReplyBatch batch = sender.batch();
      if (batch == null) {
        if (reply != null && sending.test(sender.replies())) {
          written.run();
        }
        sender.replies().end();
        return;
      }
      batch.add(reply, written);
      if (batch.isComplete()) {
        if (!batch.isEmpty() && sender.replies().send(batch.json())) {
          batch.written();
        }
        sender.replies().end();
      }
    } finally {
      writing.unlock();
    }
  }
}
