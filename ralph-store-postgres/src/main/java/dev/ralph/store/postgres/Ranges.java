package dev.ralph.store.postgres;

import dev.ralph.log.TopicFilter;
import java.util.List;

/**
 * The ranges of topics that a filter selects, both ends included, in the order of bytes.
 *
 * @param lows the first topic of each
 * @param highs the last of each, or what stands behind it
 */
record Ranges(String[] lows, String[] highs) {

  /** Stands behind every character that a topic may have. */
  private static final String BEHIND = "~";

  static Ranges of(TopicFilter filter) {
    List<String> patterns = filter.patterns();
    String[] lows = new String[patterns.size()];
    String[] highs = new String[patterns.size()];
    for (int i = 0; i < lows.length; i++) {
      String pattern = patterns.get(i);
      boolean below = pattern.endsWith("*");
      lows[i] = below ? pattern.substring(0, pattern.length() - 1) : pattern;
      highs[i] = below ? lows[i] + BEHIND : pattern;
    }
    return new Ranges(lows, highs);
  }
}
