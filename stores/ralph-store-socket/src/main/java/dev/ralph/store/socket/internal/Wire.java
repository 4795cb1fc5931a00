package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An end of a connection. Sends and receives numbers, and texts that follow their lengths. A reader
 * and a writer thread may run concurrently. A method fails with IO if the connection breaks, and
 * with CLOSED if this end was closed.
 */
final class Wire implements AutoCloseable {

  /** The longest text, in bytes, because each end keeps a whole text in memory. */
  static final int LONGEST = 128 << 20;

  private static final int BUFFER = 32 << 10;

  /**
   * The first allocation for a text in bytes. Memory for longer texts grows with the received
   * bytes, because the peer may send fewer bytes.
   */
  private static final int FIRST_ALLOCATION = 64 << 10;

  private final SocketChannel channel;

  /** The key for non-blocking use; null for a blocking channel, which an interrupt would close. */
  private final @Nullable SelectionKey key;

  private final String peer;
  private final ByteBuffer in = ByteBuffer.allocate(BUFFER).flip();
  private final ByteBuffer out = ByteBuffer.allocate(BUFFER);
  private volatile boolean closed;

  /** The time at which reading fails, as {@link System#nanoTime}; 0 for no timeout. */
  private long deadline;

  /** Whether a request or an answer is incomplete. */
  private boolean busy;

  private Wire(SocketChannel channel, @Nullable SelectionKey key, String peer) {
    this.channel = channel;
    this.key = key;
    this.peer = peer;
  }

  /** Returns a blocking end. Only for threads that are never interrupted. */
  static Wire blocking(SocketChannel channel) {
    return new Wire(channel, null, "the client");
  }

  /**
   * Returns an end unaffected by interrupts.
   *
   * @param peer the name of the other end in messages
   */
  static Wire of(SocketChannel channel, String peer) throws IOException {
    try {
      channel.configureBlocking(false);
      return new Wire(channel, channel.register(Selector.open(), 0), peer);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Sets the timeout of all further reads together; 0 for no timeout. */
  void timeout(long seconds) {
    deadline = seconds == 0 ? 0 : System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Marks the begin of a request: the connection is busy until {@link #end}. */
  void begin() {
    busy = true;
  }

  /** Marks the present request and its answer as complete. */
  void end() {
    busy = false;
  }

  /** Returns whether the connection is open and no request is incomplete. */
  boolean isIdle() {
    return !busy && !closed;
  }

  // ---- writing

  void putByte(int value) {
    makeRoom(1).put((byte) value);
  }

  void putFlag(boolean value) {
    putByte(value ? 1 : 0);
  }

  void putInt(int value) {
    makeRoom(Integer.BYTES).putInt(value);
  }

  void putLong(long value) {
    makeRoom(Long.BYTES).putLong(value);
  }

  void putText(String text) {
    putBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * @throws RalphException INVALID if there are more than {@link #LONGEST} bytes
   */
  void putBytes(byte[] bytes) {
    if (bytes.length > LONGEST) {
      throw RalphException.invalid(
          "a text of "
              + bytes.length
              + " bytes is longer than the limit of "
              + LONGEST
              + " of a socket");
    }
    putInt(bytes.length);
    for (int at = 0; at < bytes.length; ) {
      ByteBuffer buffer = makeRoom(1);
      int part = Math.min(buffer.remaining(), bytes.length - at);
      buffer.put(bytes, at, part);
      at += part;
    }
  }

  private ByteBuffer makeRoom(int bytes) {
    if (out.remaining() < bytes) {
      flush();
    }
    return out;
  }

  /** Sends the buffered bytes. */
  void flush() {
    out.flip();
    try {
      while (out.hasRemaining()) {
        if (channel.write(out) == 0) {
          await(SelectionKey.OP_WRITE);
        }
      }
    } catch (IOException e) {
      throw lost(e);
    } finally {
      out.clear();
    }
  }

  // ---- reading

  int takeByte() {
    return need(1).get() & 0xff;
  }

  boolean takeFlag() {
    return takeByte() != 0;
  }

  int takeInt() {
    return need(Integer.BYTES).getInt();
  }

  /** Reads a number from 0 to the limit. */
  int takeCount(int most) {
    int count = takeInt();
    if (count < 0 || count > most) {
      throw RalphException.io(peer + " sent the count " + count + ", above the limit of " + most);
    }
    return count;
  }

  long takeLong() {
    return need(Long.BYTES).getLong();
  }

  String takeText() {
    int length = takeCount(LONGEST);
    if (length <= in.capacity()) {
      need(length);
      String text =
          new String(in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
      in.position(in.position() + length);
      return text;
    }
    return new String(take(length), StandardCharsets.UTF_8);
  }

  byte[] takeBytes() {
    return take(takeCount(LONGEST));
  }

  private byte[] take(int length) {
    byte[] bytes = new byte[Math.min(length, FIRST_ALLOCATION)];
    for (int at = 0; at < length; ) {
      if (at == bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * at));
      }
      int part = Math.min(need(1).remaining(), bytes.length - at);
      in.get(bytes, at, part);
      at += part;
    }
    return bytes;
  }

  /** Waits until the buffer has at least {@code bytes} unread bytes. */
  private ByteBuffer need(int bytes) {
    if (in.remaining() < bytes) {
      in.compact();
      try {
        while (in.position() < bytes) {
          int read = channel.read(in);
          if (read < 0) {
            throw new EOFException("the peer closed the connection");
          }
          if (read == 0) {
            await(SelectionKey.OP_READ);
          }
        }
      } catch (IOException e) {
        throw lost(e);
      } finally {
        in.flip();
      }
    }
    return in;
  }

  /** Waits until the channel is ready. An interrupt takes effect after the wait. */
  private void await(int operation) throws IOException {
    if (key == null) {
      return;
    }
    Selector selector = key.selector();
    boolean interrupted = false;
    try {
      key.interestOps(operation);
      do {
        interrupted |= Thread.interrupted();
        long left = 0;
        if (deadline != 0) {
          left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
          if (left <= 0) {
            throw new IOException("no answer within the timeout");
          }
        }
        selector.select(left);
      } while (selector.selectedKeys().isEmpty() && !closed);
      selector.selectedKeys().clear();
    } catch (CancelledKeyException | ClosedSelectorException e) {
      throw new IOException("this end was closed", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private RalphException lost(IOException e) {
    return closed
        ? RalphException.closed("the store")
        : RalphException.io("the connection to " + peer + " broke: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    closed = true;
    try {
      channel.close();
      if (key != null) {
        key.selector().close();
      }
    } catch (IOException e) {
      // ignored, because the connection is not used again
    }
  }
}
