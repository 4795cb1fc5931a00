package dev.ralph.store.socket;

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
 * One end of a connection: numbers, and texts with their lengths before them. One thread may read
 * while another writes. What fails is an IO failure, CLOSED if this end was closed meanwhile.
 */
final class Wire implements AutoCloseable {

  /** Nothing longer is sent or taken, because either end has to hold it. */
  static final int LONGEST = 128 << 20;

  private static final int BUFFER = 32 << 10;

  /** What is longer is only made room for as it comes: who says that it will may send nothing. */
  private static final int TRUSTED = 64 << 10;

  private final SocketChannel channel;

  /** Null where nobody interrupts the threads. An interrupt would close a channel that blocks. */
  private final @Nullable SelectionKey key;

  private final String peer;
  private final ByteBuffer in = ByteBuffer.allocate(BUFFER).flip();
  private final ByteBuffer out = ByteBuffer.allocate(BUFFER);
  private volatile boolean closed;

  /** When waiting ends, or 0 for never. */
  private long deadline;

  private boolean busy;

  private Wire(SocketChannel channel, @Nullable SelectionKey key, String peer) {
    this.channel = channel;
    this.key = key;
    this.peer = peer;
  }

  /** Returns an end for threads that nobody interrupts. */
  static Wire blocking(SocketChannel channel) {
    return new Wire(channel, null, "the client");
  }

  /**
   * Returns an end for threads of any kind.
   *
   * @param peer what the other end is, as a message calls it
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

  /** Lets reading fail once that time has passed; zero for never. */
  void patience(long seconds) {
    deadline = seconds == 0 ? 0 : System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Says that something begins that both ends have to come through. */
  void begin() {
    busy = true;
  }

  /** Says that both ends have come through what was begun. */
  void end() {
    busy = false;
  }

  /** Returns whether both ends are where something new may begin. */
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
   * @throws RalphException INVALID if they are too many
   */
  void putBytes(byte[] bytes) {
    if (bytes.length > LONGEST) {
      throw RalphException.invalid(
          "nothing longer than " + LONGEST + " bytes goes through a socket");
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

  /** Sends what was written. */
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

  /** Reads a number from 0 on. */
  int takeCount(int most) {
    int count = takeInt();
    if (count < 0 || count > most) {
      throw RalphException.io(peer + " says " + count + " where " + most + " is the most");
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
    byte[] bytes = new byte[Math.min(length, TRUSTED)];
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

  /** Waits until so many bytes have come. */
  private ByteBuffer need(int bytes) {
    if (in.remaining() < bytes) {
      in.compact();
      try {
        while (in.position() < bytes) {
          int read = channel.read(in);
          if (read < 0) {
            throw new EOFException("it ended the connection");
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

  /** An interrupt is kept for afterwards. */
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
            throw new IOException("it does not answer");
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
        : RalphException.io(peer + " is gone or can't be talked to: " + e.getMessage(), e);
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
      // nothing is left to be closed
    }
  }
}
