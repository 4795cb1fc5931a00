package dev.ralph.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stream of UTF-8 lines, independent of the locale. Unlike {@link java.io.PrintStream}, it throws
 * an exception if writing fails. Thread-safe; lines are written as a whole.
 */
public final class Output {

  private static final int BUFFER = 8192;

  /** Moves to the first column and erases the screen from there. */
  private static final String ERASE = "\r\u001b[J";

  /**
   * The output with a footer, or null. The process has a single terminal, and other outputs must
   * not overwrite the footer.
   */
  private static final AtomicReference<Output> FOOTED = new AtomicReference<>();

  /**
   * The output that draws the whole screen, or null. Text for a terminal is held back meanwhile,
   * because the screen would overwrite the text.
   */
  private static final AtomicReference<Output> DRAWN = new AtomicReference<>();

  /** The outputs with text held back. */
  private static final Set<Output> HOLDING = ConcurrentHashMap.newKeySet();

  /** The maximum of text held back, in characters. Further text is dropped. */
  private static final int MOST_HELD = 256 * 1024;

  /** The time to wait for an inactive reader before other outputs write. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(1);

  /** The size of a few pages, in bytes. */
  private static final int MOST_WAITING = 128 * 1024;

  private volatile OutputStream stream;

  /** The stream created by {@link #neverBlock()}, or null. */
  private volatile @Nullable PatientStream patient;

  private final boolean terminal;
  private final StringBuilder pending = new StringBuilder();

  /** The line below all other lines, or an empty text. */
  private String footer = "";

  public Output(OutputStream stream, boolean terminal) {
    this.stream = stream;
    this.terminal = terminal;
  }

  /**
   * Returns the underlying stream for a peer that may disconnect. Its methods throw {@link
   * IOException} instead of {@link OutputException}.
   */
  public OutputStream raw() {
    return stream;
  }

  /**
   * Makes writes return without waiting for the reader until {@link #finish}. Another thread writes
   * to the reader.
   */
  public synchronized void neverBlock() {
    if (patient == null) {
      PatientStream own = new PatientStream(stream);
      patient = own;
      stream = own;
    }
  }

  /**
   * Waits until the reader has received all text, then makes writes wait for the reader again.
   *
   * @param patience the time after which an inactive reader is given up
   */
  public void finish(Duration patience) {
    PatientStream own = patient;
    if (own != null && own.finish(patience)) {
      synchronized (this) {
        stream = own.target();
        patient = null;
      }
    }
  }

  /** Returns whether the stream is a terminal. */
  public boolean isTerminal() {
    return terminal;
  }

  /**
   * Appends a line to the buffer.
   *
   * @throws OutputException if writing fails
   */
  public synchronized void line(String text) {
    pending.append(text).append('\n');
    if (pending.length() >= BUFFER) {
      flush();
    }
  }

  /**
   * Writes the buffer and a text without a line break immediately.
   *
   * @throws OutputException if writing fails
   */
  public synchronized void now(String text) {
    pending.append(text);
    flush();
  }

  /**
   * Returns an unbuffered stream of bytes, which flushes pending lines first. Writes throw {@link
   * OutputException}. Closing the stream has no effect.
   */
  public OutputStream stream() {
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
   * Shows a line below all later lines, in place of the previous footer. Requires a terminal, and
   * whole lines above the footer.
   *
   * @param line narrower than the terminal; an empty line removes the footer
   * @throws OutputException if writing fails
   */
  public synchronized void footer(String line) {
    if (line.equals(footer)) {
      return;
    }
    flush();
    FOOTED.set(line.isEmpty() ? null : this);
    String erased = footer.isEmpty() ? "" : ERASE;
    footer = line;
    // The first column is the safest cursor position when a person types or narrows the window.
    write(erased + (line.isEmpty() ? "" : line + "\r"));
  }

  /**
   * Begins to draw the whole screen.
   *
   * @param begin the codes that open the screen
   * @throws OutputException if writing fails
   */
  void beginDrawing(String begin) {
    flush();
    DRAWN.set(this);
    draw(begin);
  }

  /**
   * Draws on the screen, unless too much earlier output waits for the terminal.
   *
   * @return whether the text was drawn
   * @throws OutputException if writing fails
   */
  synchronized boolean draw(String text) {
    PatientStream own = patient;
    if (own != null && own.waiting() > MOST_WAITING) {
      return false;
    }
    write(text);
    return true;
  }

  /**
   * Ends drawing, and writes the text held back meanwhile.
   *
   * @param end the codes that restore the terminal
   * @throws OutputException if writing fails
   */
  void endDrawing(String end) {
    try {
      synchronized (this) {
        write(end);
      }
      PatientStream own = patient;
      if (own != null) {
        own.finish(END_PATIENCE); // otherwise pending pages would overwrite later text
      }
    } finally {
      DRAWN.compareAndSet(this, null);
      for (Output each : List.copyOf(HOLDING)) {
        HOLDING.remove(each);
        each.flush();
      }
    }
  }

  private void hold() {
    synchronized (this) {
      pending.setLength(Math.min(pending.length(), MOST_HELD));
    }
    HOLDING.add(this);
    if (DRAWN.get() == null && HOLDING.remove(this)) {
      flush(); // the drawing ended meanwhile
    }
  }

  /**
   * Writes the buffer, or holds it back while the whole screen is drawn.
   *
   * @throws OutputException if writing fails
   */
  public void flush() {
    if (terminal && DRAWN.get() != null) {
      hold();
      return;
    }
    Output other = FOOTED.get();
    if (other == null || other == this) {
      flushPending();
      return;
    }
    synchronized (other) {
      String below = other.footer;
      other.footer("");
      try {
        flushPending();
      } finally {
        other.footer(below);
      }
    }
  }

  private synchronized void flushPending() {
    String text = pending.toString();
    pending.setLength(0);
    write(text.isEmpty() || footer.isEmpty() ? text : ERASE + text + footer + "\r");
  }

  private void write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      stream.write(bytes);
      stream.flush();
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }
}
