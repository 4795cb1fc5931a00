package dev.ralph.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Lines of UTF-8, whatever the locale. Unlike a {@link java.io.PrintStream} it says when they can't
 * be written. For any thread; lines come out whole.
 */
final class Output {

  private static final int BUFFER = 8192;

  private final OutputStream stream;
  private final boolean terminal;
  private final StringBuilder pending = new StringBuilder();

  Output(OutputStream stream, boolean terminal) {
    this.stream = stream;
    this.terminal = terminal;
  }

  /**
   * Returns what is written to, for a peer of its own who may leave: failures are exceptions of it.
   */
  OutputStream raw() {
    return stream;
  }

  /** Returns whether a person is looking. */
  boolean isTerminal() {
    return terminal;
  }

  /**
   * Writes a line, sooner or later.
   *
   * @throws OutputException if that is not possible
   */
  synchronized void line(String text) {
    pending.append(text).append('\n');
    if (pending.length() >= BUFFER) {
      flush();
    }
  }

  /**
   * Writes text as it is, and all that was pending, now.
   *
   * @throws OutputException if that is not possible
   */
  synchronized void now(String text) {
    pending.append(text);
    flush();
  }

  /**
   * Returns a stream of bytes that go out behind what is pending, at once. Like the lines they fail
   * with an {@link OutputException}. Closing it does nothing.
   */
  OutputStream stream() {
    return new OutputStream() {
      @Override
      public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) {
        synchronized (Output.this) {
          flush();
          try {
            stream.write(bytes, from, length);
          } catch (IOException e) {
            throw new OutputException(e);
          }
        }
      }

      @Override
      public void flush() {
        Output.this.flush();
      }
    };
  }

  /**
   * Writes what is pending.
   *
   * @throws OutputException if that is not possible
   */
  synchronized void flush() {
    byte[] bytes = pending.toString().getBytes(StandardCharsets.UTF_8);
    pending.setLength(0);
    try {
      stream.write(bytes);
      stream.flush();
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }
}
