package dev.ralph.agents;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is told, a line each, in order: written by a thread of its own, since an agent that
 * does not read would hold up the one who writes. Safe for several threads.
 */
final class AcpInput implements AutoCloseable {

  /** Nobody leaves so much unread who reads at all. */
  private static final int MOST_UNREAD = 10_000;

  private final BlockingQueue<ObjectNode> lines = new LinkedBlockingQueue<>(MOST_UNREAD);
  private volatile boolean full;
  private volatile @Nullable Thread writer;

  /** Adds a line; it is lost if too many wait, see {@link #isFull}. */
  void add(ObjectNode line) {
    if (!lines.offer(line)) {
      full = true;
    }
  }

  /** Whether a line was lost, because the agent reads nothing. */
  boolean isFull() {
    return full;
  }

  /** Begins to write to the agent. */
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
      // The agent reads no more: that it has ended, or what it leaves unanswered, is seen
      // elsewhere.
    } catch (InterruptedException closed) {
      // Nobody has anything to say any more.
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
