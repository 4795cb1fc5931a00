package dev.ralph.agents;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The queue of messages to an agent, one line each. A separate thread writes the messages in order,
 * because an agent that does not read would block the caller. Safe for use by several threads.
 */
final class AcpInput implements AutoCloseable {

  /** The most unread messages. An agent that reads at all stays below this number. */
  private static final int MOST_UNREAD = 10_000;

  private final BlockingQueue<ObjectNode> lines = new LinkedBlockingQueue<>(MOST_UNREAD);
  private volatile boolean full;
  private volatile @Nullable Thread writer;

  /** Adds a line. The line is dropped if the queue is full; see {@link #isFull}. */
  void add(ObjectNode line) {
    if (!lines.offer(line)) {
      full = true;
    }
  }

  /** Returns whether a line was dropped because the agent does not read. */
  boolean isFull() {
    return full;
  }

  /** Starts the thread that writes to the agent. */
  void to(OutputStream stdin) {
    Thread thread = new Thread(() -> write(stdin), "ralph-acp-writer");
    thread.setDaemon(true);
    writer = thread;
    thread.start();
  }

  private void write(OutputStream stdin) {
    try {
      while (true) {
        stdin.write((lines.take() + "\n").getBytes(StandardCharsets.UTF_8));
        stdin.flush();
      }
    } catch (IOException ended) {
      // The agent stopped reading. The process's exit or missing responses are detected elsewhere.
    } catch (InterruptedException closed) {
      // Closed: no more messages are written.
    }
  }

  @Override
  public void close() {
    Thread thread = writer;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
