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
 * Lines of UTF-8, whatever the locale. Unlike a {@link java.io.PrintStream} it says when they can't
 * be written. For any thread; lines come out whole.
 */
public final class Output {

  private static final int BUFFER = 8192;

  /** To the first column, and nothing from there on. */
  private static final String ERASE = "\r\u001b[J";

  /**
   * The output that keeps a footer, if one does: there is one terminal, and what goes to another
   * output must not be written over the footer.
   */
  private static final AtomicReference<Output> FOOTED = new AtomicReference<>();

  /**
   * The output on which the whole screen is drawn, if one is: what goes to a terminal meanwhile
   * would be drawn over, and is held back.
   */
  private static final AtomicReference<Output> DRAWN = new AtomicReference<>();

  /** Those that held something back. */
  private static final Set<Output> HOLDING = ConcurrentHashMap.newKeySet();

  /** More is not held back; what comes then is dropped. */
  private static final int MOST_HELD = 256 * 1024;

  /** How long a reader who takes nothing is waited for before others write. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(1);

  /** Some pages. */
  private static final int MOST_WAITING = 128 * 1024;

  private volatile OutputStream stream;

  /** What the stream is since {@link #neverBlock()}, or null. */
  private volatile @Nullable PatientStream patient;

  private final boolean terminal;
  private final StringBuilder pending = new StringBuilder();

  /** The line below all that is written, or an empty text. */
  private String footer = "";

  public Output(OutputStream stream, boolean terminal) {
    this.stream = stream;
    this.terminal = terminal;
  }

  /**
   * Returns what is written to, for a peer of its own who may leave: failures are exceptions of it.
   */
  public OutputStream raw() {
    return stream;
  }

  /**
   * From now on until {@link #finish} writing never waits for the reader. What is written is handed
   * over by another thread.
   */
  public synchronized void neverBlock() {
    if (patient == null) {
      PatientStream own = new PatientStream(stream);
      patient = own;
      stream = own;
    }
  }

  /**
   * Waits until all is handed over, as long as somebody reads; then writing waits for the reader
   * again.
   *
   * @param patience after how long a reader who takes nothing counts as none
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

  /** Returns whether a person is looking. */
  public boolean isTerminal() {
    return terminal;
  }

  /**
   * Writes a line, sooner or later.
   *
   * @throws OutputException if that is not possible
   */
  public synchronized void line(String text) {
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
  public synchronized void now(String text) {
    pending.append(text);
    flush();
  }

  /**
   * Returns a stream of bytes that go out behind what is pending, at once. Like the lines they fail
   * with an {@link OutputException}. Closing it does nothing.
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
   * Keeps a line below all that is written from now on, in place of the one before. Only for a
   * terminal, and for whole lines above it.
   *
   * @param line narrower than the terminal; an empty one takes the footer away
   * @throws OutputException if it can't be written
   */
  public synchronized void footer(String line) {
    if (line.equals(footer)) {
      return;
    }
    flush();
    FOOTED.set(line.isEmpty() ? null : this);
    String erased = footer.isEmpty() ? "" : ERASE;
    footer = line;
    // The cursor goes back: what is typed, or a window made narrower, does least harm there.
    write(erased + (line.isEmpty() ? "" : line + "\r"));
  }

  /**
   * Begins to draw the whole screen.
   *
   * @param begin what takes the screen
   * @throws OutputException if that is not possible
   */
  void beginDrawing(String begin) {
    flush();
    DRAWN.set(this);
    draw(begin);
  }

  /**
   * Draws on the screen, unless so much waits to be taken that nobody seems to look.
   *
   * @return whether it was drawn
   * @throws OutputException if that is not possible
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
   * Ends drawing, and writes what was held back meanwhile.
   *
   * @param end what gives the screen back
   * @throws OutputException if that is not possible
   */
  void endDrawing(String end) {
    try {
      synchronized (this) {
        write(end);
      }
      PatientStream own = patient;
      if (own != null) {
        own.finish(END_PATIENCE); // or what others write would still be drawn over
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
      flush(); // that has ended meanwhile
    }
  }

  /**
   * Writes what is pending, or has it wait as long as the whole screen is drawn.
   *
   * @throws OutputException if that is not possible
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
