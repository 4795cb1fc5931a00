package dev.ralph.tx;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How often a thread has gone each way: from an agent of one instance of a mesh to another, with
 * one status. It is folded from the messages of that {@linkplain TxThreads thread} that were
 * delivered, or refused because it went too often; one that comes again, after a crash, say, counts
 * once. Immutable; safe for use by many threads.
 */
final class TxIterations {

  /** How often a thread may go one way. */
  static final int LIMIT = 3;

  /** Of a thread in which nothing was delivered. */
  static final TxIterations NONE = new TxIterations(Map.of());

  private static final String EXCEEDED = "Max routing iterations exceeded";

  private record Way(TxAddress from, String to, String status) {}

  private final Map<Way, Set<String>> delivered;

  private TxIterations(Map<Way, Set<String>> delivered) {
    this.delivered = delivered;
  }

  /** Returns whether that is why a message was refused: its thread has gone its way too often. */
  static boolean isRefusal(String why) {
    return why.startsWith(EXCEEDED);
  }

  /** Returns these with a message that was delivered, or refused as one too many. */
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

  /** Returns why a message may not go its way once more, or null if it may. */
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
