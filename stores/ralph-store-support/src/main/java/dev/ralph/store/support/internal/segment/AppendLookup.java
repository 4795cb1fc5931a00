package dev.ralph.store.support.internal.segment;

import dev.ralph.log.TopicFilter;
import java.util.Set;

/** An appender's queries of the log. */
public interface AppendLookup {

  /** Returns false if the log certainly has no frame after a position that the filter selects. */
  boolean anyAfter(TopicFilter filter, long position);

  /** Returns the given ids that are in the log. */
  Set<String> held(Set<String> ids);

  /** Returns the largest frame id in the log, or an empty string. */
  String largestId();
}
