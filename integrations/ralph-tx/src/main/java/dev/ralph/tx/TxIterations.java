package dev.ralph.tx;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts how often a thread has used each route. A route leads from an agent of a mesh instance to
 * an agent, with one status. The counts are folded from the messages of that {@linkplain TxThreads
 * thread} that were delivered, or rejected because of the limit. A repeated message, for example
 * after a crash, counts once. Immutable; safe for use by many threads.
 */
final class TxIterations {

  /** The number of times that a thread may use a route. */
  static final int LIMIT = 3;

  /** The counts of a thread without deliveries. */
  static final TxIterations NONE = new TxIterations(Map.of());

  private static final String EXCEEDED = "Max routing iterations exceeded";

  private record Way(TxAddress from, String to, String status) {}

  private final Map<Way, Set<String>> delivered;

  private TxIterations(Map<Way, Set<String>> delivered) {
    this.delivered = delivered;
  }

  /** Returns whether this limit is the reason for a rejection. */
  static boolean isRefusal(String why) {
    return why.startsWith(EXCEEDED);
  }

  /** Returns these counts with a message that was delivered, or rejected because of the limit. */
  TxIterations with(TxMessage message) {
    Way way = way(message);
    Set<String> before = way == null ? Set.of() : delivered.getOrDefault(way, Set.of());
    String id = message.id();
    if (way == null || id == null || before.contains(id)) {
      return this;
    }
    Set<String> ids = new LinkedHashSet<>(before);
    ids.add(id);
    Map<Way, Set<String>> changed = new HashMap<>(delivered);
    changed.put(way, Collections.unmodifiableSet(ids));
    return new TxIterations(changed);
  }

  /** Returns the reason if the message would exceed the limit of its route, or null. */
  @Nullable String refusal(TxMessage message) {
    Way way = way(message);
    Set<String> before = way == null ? Set.of() : delivered.getOrDefault(way, Set.of());
    if (way == null || before.size() < LIMIT || before.contains(Objects.toString(message.id()))) {
      return null;
    }
    return EXCEEDED
        + " for "
        + message.from()
        + " → "
        + message.to()
        + " (status: "
        + way.status
        + "). Current: "
        + before.size()
        + ", Limit: "
        + LIMIT;
  }

  private static @Nullable Way way(TxMessage message) {
    TxAddress from = message.from();
    TxAddress to = message.to();
    String status = message.status();
    return from == null || to == null || status == null ? null : new Way(from, to.agent(), status);
  }
}
