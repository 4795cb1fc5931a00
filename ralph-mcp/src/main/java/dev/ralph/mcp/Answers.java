package dev.ralph.mcp;

import dev.ralph.log.Meta;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is written to a client, a line each: replies, and how far a call is. It knows when a reply
 * was written, because what it shows is then not shown again. Safe for use by many threads.
 */
final class Answers {

  /** Whoever sent what can't be read. */
  static final Sender NOBODY = new Sender(MessageMembers.NO_ID, null);

  private final OutputStream out;
  private final ReentrantLock writing = new ReentrantLock();

  /**
   * What a message is answered to.
   *
   * @param id in JSON, the word null if it is not known
   * @param batch what it came with, or null if it came alone
   */
  record Sender(String id, @Nullable ReplyBatch batch) {}

  /**
   * @param out not closed
   */
  Answers(OutputStream out) {
    this.out = out;
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
    reply(sender, json(sender, "result", result), written);
  }

  /** Answers that a request is not served. */
  void error(Sender sender, int code, String reason) {
    Meta error = Meta.of("code", code).with("message", reason);
    reply(sender, json(sender, "error", error), () -> {});
  }

  /** Gives no answer: the message wants none, or its call was cancelled. */
  void none(Sender sender) {
    if (sender.batch() != null) {
      reply(sender, null, () -> {});
    }
  }

  /** Tells the client of something that it did not ask for. */
  void notify(String method, Meta params) {
    write(Meta.of("jsonrpc", "2.0").with("method", method).with("params", params).json());
  }

  private static String json(Sender sender, String kind, Meta value) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + sender.id() + ",\"" + kind + "\":" + value.json() + "}";
  }

  /** Writes a reply, or keeps it until all others of its batch are there. */
  private void reply(Sender sender, @Nullable String reply, Runnable written) {
    writing.lock();
    try {
      ReplyBatch batch = sender.batch();
      if (batch == null) {
        if (reply != null && write(reply)) {
          written.run();
        }
        return;
      }
      batch.add(reply, written);
      if (batch.isComplete() && !batch.isEmpty() && write(batch.json())) {
        batch.written();
      }
    } finally {
      writing.unlock();
    }
  }

  /** Returns whether the message was written. */
  private boolean write(String message) {
    byte[] line = (message + "\n").getBytes(StandardCharsets.UTF_8);
    writing.lock();
    try {
      out.write(line);
      out.flush();
      return true;
    } catch (IOException e) {
      log().log(Level.DEBUG, "a reply could not be written: the client is gone", e);
      return false;
    } finally {
      writing.unlock();
    }
  }

  private static System.Logger log() {
    return System.getLogger(Answers.class.getName());
  }
}
