package dev.ralph.mail.tx;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How often a thread has gone each way: from an agent of one instance of a mesh to another, with
 * one status. It is folded from the messages that were delivered in that {@linkplain TxThreads
 * thread}, in their order; one that is delivered again, after a crash, say, counts once. Immutable;
 * safe for use by many threads.
 */
public final class TxIterations {

  /** How often a thread may go one way. */
  public static final int LIMIT = 3;

  /** Of a thread in which nothing was delivered. */
  public static final TxIterations NONE = new TxIterations(Map.of());

  private record Way(TxAddress from, String to, String status) {}

  private final Map<Way, Set<String>> delivered;

  private TxIterations(Map<Way, Set<String>> delivered) {
    this.delivered = delivered;
  }

  /** Returns these with a message that was delivered. */
  public TxIterations with(TxMessage message) {
    Way way = way(message);
    Set<String> before = way == null ? Set.of() : delivered.getOrDefault(way, Set.of());
    String id = message.id();
    if (way == null || id == null || before.contains(id) || before.size() == LIMIT) {
      return this;
    }
    Set<String> ids = new LinkedHashSet<>(before);
    ids.add(id);
    Map<Way, Set<String>> changed = new HashMap<>(delivered);
    changed.put(way, Collections.unmodifiableSet(ids));
    return new TxIterations(changed);
  }

  /** Returns why a message may not go its way once more, or null if it may. */
  public @Nullable String refusal(TxMessage message) {
    Way way = way(message);
    Set<String> before = way == null ? Set.of() : delivered.getOrDefault(way, Set.of());
    if (way == null || before.size() < LIMIT || before.contains(Objects.toString(message.id()))) {
      return null;
    }
    return "Max routing iterations exceeded for "
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
