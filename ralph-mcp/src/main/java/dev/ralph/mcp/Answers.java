package dev.ralph.mcp;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is sent to a client: replies, and how far a call is. It knows when a reply was sent, because
 * what it shows is then not shown again. Safe for use by many threads.
 */
final class Answers {

  private static final Meta SERVER = Meta.of("name", "ralph").with("version", Ralph.version());

  private final ReentrantLock writing = new ReentrantLock();

  /**
   * What a message is answered to.
   *
   * @param id in JSON, the word null if it is not known
   * @param batch what it came with, or null if it came alone
   * @param replies where answers go
   * @param isStateless whether it is of a revision without sessions, whose results say more
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

  /** Returns what a client is told of this server. */
  static Meta server() {
    return SERVER;
  }

  /** Returns what is held while a line is written, and what it shows noted. */
  ReentrantLock writing() {
    return writing;
  }

  /** Answers a request that was served. */
  void result(Sender sender, Meta result) {
    result(sender, result, () -> {});
  }

  /**
   * Answers a request that was served.
   *
   * @param written what to do when the answer was written
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

  /** Answers that a request is not served. */
  void error(Sender sender, int code, String reason) {
    error(sender, code, reason, null);
  }

  /**
   * Answers that a request is not served.
   *
   * @param data what a program can do better with, or null
   */
  void error(Sender sender, int code, String reason, @Nullable Meta data) {
    Meta error = Meta.of("code", code).with("message", reason).with("data", data);
    String reply = json(sender, "error", error);
    reply(sender, reply, replies -> replies.refuse(code, reply), () -> {});
  }

  /** Gives no answer: the message wants none, or its call was cancelled. */
  void none(Sender sender) {
    reply(sender, null, replies -> false, () -> {});
  }

  /**
   * Tells the client of something that it did not ask for, while a request of its is served.
   *
   * @return false if it can't be told
   */
  boolean notify(Sender sender, String method, Meta params) {
    String message = Meta.of("jsonrpc", "2.0").with("method", method).with("params", params).json();
    writing.lock();
    try {
      return sender.replies().tell(message);
    } finally {
      writing.unlock();
    }
  }

  private static String json(Sender sender, String kind, Meta value) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + sender.id() + ",\"" + kind + "\":" + value.json() + "}";
  }

  /**
   * Sends a reply, or keeps it until all others of its batch are there.
   *
   * @param reply null if there is none
   * @param sending sends it if it goes alone
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
