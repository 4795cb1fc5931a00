package dev.ralph.tx;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds out which messages belong together. */
final class TxThreads {

  private TxThreads() {}

  /**
   * Returns the id that all messages of a thread have in common: that of the first message, even if
   * it is missing. Of messages that answer each other in a circle it is the least of their ids.
   *
   * @param id of a message
   * @param inReplyTo returns the id of the message that the one of that id answers, or null if it
   *     answers none or is not there
   */
  static String of(String id, Function<String, @Nullable String> inReplyTo) {
    Set<String> seen = new LinkedHashSet<>();
    String at = id;
    while (seen.add(at)) {
      String before = inReplyTo.apply(at);
      if (before == null) {
        return at;
      }
      at = before;
    }
    String entry = at;
    return Collections.min(seen.stream().dropWhile(each -> !each.equals(entry)).toList());
  }
}
