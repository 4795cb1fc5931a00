package dev.ralph.cli.terminal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decodes keys from the bytes of a terminal. Not thread-safe. */
final class KeyDecoder {

  /** A supported key. */
  enum Key {
    QUIT,
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    TOP,
    BOTTOM
  }

  private static final Map<String, Key> KEYS =
      Map.ofEntries(
          Map.entry("q", Key.QUIT),
          Map.entry("Q", Key.QUIT),
          Map.entry("k", Key.UP),
          Map.entry("j", Key.DOWN),
          Map.entry("b", Key.PAGE_UP),
          Map.entry(" ", Key.PAGE_DOWN),
          Map.entry("g", Key.TOP),
          Map.entry("G", Key.BOTTOM),
          Map.entry("[A", Key.UP),
          Map.entry("[B", Key.DOWN),
          Map.entry("[5~", Key.PAGE_UP),
          Map.entry("[6~", Key.PAGE_DOWN),
          Map.entry("[H", Key.TOP),
          Map.entry("[1~", Key.TOP),
          Map.entry("[F", Key.BOTTOM),
          Map.entry("[4~", Key.BOTTOM));

  private static final int ESCAPE = 0x1b;
  private static final int LONGEST = 8;

  /** The bytes received after an escape, or null outside an escape sequence. */
  private @Nullable StringBuilder sequence;

  /** Returns whether an escape sequence is incomplete. */
  boolean isWithin() {
    return sequence != null;
  }

  /** Decodes the next byte, and returns the completed key or null. */
  @Nullable Key take(int b) {
    StringBuilder begun = sequence;
    if (b == ESCAPE) {
      sequence = new StringBuilder();
      return null;
    }
    if (begun == null) {
      return KEYS.get(String.valueOf((char) b));
    }
    begun.append(begun.length() == 0 && b == 'O' ? '[' : (char) b);
    boolean ends = begun.length() > 1 && b >= '@' && b <= '~';
    if (ends || begun.length() > LONGEST || begun.charAt(0) != '[') {
      sequence = null;
    }
    return ends ? KEYS.get(begun.toString()) : null;
  }
}
