package dev.ralph.store.support.internal.segment;

import dev.ralph.log.TopicFilter;
import java.util.Set;

/** What an appender asks of the log that it appends to. */
public interface AppendLookup {

  /** Returns whether there is, or may have been, a frame that the filter selects behind there. */
  boolean anyAfter(TopicFilter filter, long position);

  /** Returns which of the ids are in the log. */
  Set<String> held(Set<String> ids);

  /** Returns the largest id in the log, or an empty text. */
  String largestId();
}
