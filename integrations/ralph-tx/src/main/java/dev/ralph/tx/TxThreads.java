package dev.ralph.tx;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Identifies the thread of a message. */
final class TxThreads {

  private TxThreads() {}

  /**
   * Returns the common id of a thread's messages: the id of the first message, even if that message
   * is missing. If messages answer each other in a circle, the result is the least of their ids.
   *
   * @param id the id of a message
   * @param inReplyTo returns the id of the answered message for an id, or null if the message is
   *     missing or not an answer
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
