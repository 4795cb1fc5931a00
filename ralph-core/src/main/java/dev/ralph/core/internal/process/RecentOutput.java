package dev.ralph.core.internal.process;

import java.util.function.Consumer;

/** Keeps the end of a process's output. Safe for use by many threads. */
final class RecentOutput implements Consumer<String> {

  private final int most;
  private final StringBuilder text = new StringBuilder();

  RecentOutput(int most) {
    this.most = most;
  }

  @Override
  public synchronized void accept(String piece) {
    text.append(piece);
    if (text.length() > 2 * most) {
      cut();
    }
  }

  private void cut() {
    text.delete(0, Math.max(0, text.length() - most));
  }

  /** Returns the end of the output, with at most the given number of characters. */
  @Override
  public synchronized String toString() {
    cut();
    return text.toString();
  }
}
