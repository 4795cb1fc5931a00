package dev.ralph.store.postgres;

import dev.ralph.log.TopicFilter;
import java.util.List;

/**
 * The ranges of topic names that a filter selects. Both ends are inclusive; names are compared byte
 * by byte.
 *
 * @param lows the lower bound of each range
 * @param highs the upper bound of each range
 */
record TopicRanges(String[] lows, String[] highs) {

  /** Sorts after every character of a topic name. */
  private static final String LAST = "~";

  static TopicRanges of(TopicFilter filter) {
    List<String> patterns = filter.patterns();
    String[] lows = new String[patterns.size()];
    String[] highs = new String[patterns.size()];
    for (int i = 0; i < lows.length; i++) {
      String pattern = patterns.get(i);
      boolean isPrefix = pattern.endsWith("*");
      lows[i] = isPrefix ? pattern.substring(0, pattern.length() - 1) : pattern;
      highs[i] = isPrefix ? lows[i] + LAST : pattern;
    }
    return new TopicRanges(lows, highs);
  }
}
