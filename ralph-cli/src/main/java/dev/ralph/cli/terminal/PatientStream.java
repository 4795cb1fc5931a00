package dev.ralph.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes on in order without blocking the writer. A pipe without an active reader must not
 * block threads with other work. Thread-safe.
 */
final class PatientStream extends OutputStream {

  /** The maximum number of bytes held for a slow reader; newer bytes are dropped. */
  private static final int MOST_HELD = 16 * 1024 * 1024;

  private final OutputStream target;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<byte[]> held = new ArrayDeque<>();
  private int heldBytes;
  private long passedOn;
  private boolean isWriting;
  private @Nullable IOException failure;
  private @Nullable Thread writer;

  PatientStream(OutputStream target) {
    this.target = target;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  /**
   * @throws IOException if an earlier write to the target failed
   */
  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    if (length == 0) {
      return;
    }
    lock.lock();
    try {
      if (failure != null) {
        throw new IOException(failure);
      }
      if (heldBytes + length > MOST_HELD) {
        return;
      }
      held.addLast(Arrays.copyOfRange(bytes, from, from + length));
      heldBytes += length;
      changed.signalAll();
      if (writer == null) {
        writer = new Thread(this::passOn, "ralph-output");
        writer.setDaemon(true);
        writer.start();
      }
    } finally {
      lock.unlock();
    }
  }

  private void passOn() {
    try {
      while (true) {
        byte[] next = next();
        target.write(next);
        target.flush();
        passedOn(next.length);
      }
    } catch (IOException e) {
      fail(e);
    } catch (InterruptedException e) {
      fail(new IOException(e));
    }
  }

  private byte[] next() throws InterruptedException {
    lock.lock();
    try {
      while (held.isEmpty()) {
        changed.await();
      }
      isWriting = true;
      return held.removeFirst();
    } finally {
      lock.unlock();
    }
  }

  private void passedOn(int bytes) {
    lock.lock();
    try {
      isWriting = false;
      heldBytes -= bytes;
      passedOn++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(IOException e) {
    lock.lock();
    try {
      failure = e;
      held.clear();
      isWriting = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all bytes are passed on, passing on fails, or the reader accepts nothing for a
   * given time. An interrupt does not shorten the wait; the thread's interrupt status is kept.
   *
   * @return whether all bytes are passed on
   */
  boolean finish(Duration patience) {
    boolean interrupted = false;
    lock.lock();
    try {
      long before = passedOn;
      long since = System.nanoTime();
      while (isWriting || !held.isEmpty()) {
        if (passedOn != before) {
          before = passedOn;
          since = System.nanoTime();
        }
        long left = patience.toNanos() - (System.nanoTime() - since);
        if (left <= 0) {
          break;
        }
        try {
          changed.awaitNanos(left);
        } catch (InterruptedException keptForLater) {
          interrupted = true;
        }
      }
      return !isWriting && held.isEmpty() && failure == null;
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns the number of bytes not passed on yet. */
  int waiting() {
    lock.lock();
    try {
      return heldBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the underlying stream. */
  OutputStream target() {
    return target;
  }
}
