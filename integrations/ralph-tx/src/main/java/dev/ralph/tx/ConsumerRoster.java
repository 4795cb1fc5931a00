package dev.ralph.tx;

import dev.ralph.Ralph;
import dev.ralph.domain.Lease;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Records the agents with a running consumer. Each agent has a lease, which is renewed while the
 * delivering process lives: {@code {action:join, agent, owner, until, host, pid, …}}, {@code
 * {action:renew, id, until}}, {@code {action:leave, id}}. Safe for use by many threads.
 */
final class ConsumerRoster implements AutoCloseable {

  private static final Duration LEASE = Duration.ofMinutes(10);

  /**
   * An agent with a running consumer.
   *
   * @param process the delivering process
   */
  private record Entry(String agent, Lease lease, ProcessIdentity process) {

    boolean isLive(Instant now) {
      return lease.isLive(now) && process.isLive();
    }
  }

  private static final Fold<Map<String, Entry>, Map<String, Entry>> FOLD =
      Fold.of("ralph.tx.roster", LinkedHashMap::new, ConsumerRoster::apply, Map::copyOf);

  private static void apply(Map<String, Entry> roster, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    String id = meta.string("id");
    if ("join".equals(action)) {
      String agent = meta.string("agent");
      Lease lease = Lease.of(frame);
      ProcessIdentity process = ProcessIdentity.of(meta);
      if (agent != null && lease != null && process != null) {
        roster.values().removeIf(entry -> !frame.time().isBefore(entry.lease.until()));
        roster.put(frame.id(), new Entry(agent, lease, process));
      }
    } else if ("renew".equals(action)) {
      if (id != null) {
        roster.computeIfPresent(
            id, (key, entry) -> new Entry(entry.agent, entry.lease.renewed(frame), entry.process));
      }
    } else if ("leave".equals(action) && id != null) {
      roster.remove(id);
    }
  }

  private final Topic topic;
  private final Ledger<Map<String, Entry>> ledger;
  private final Lease.Renewal renewal = new Lease.Renewal(LEASE, this::renew);

  /** The ids of the frames by which agents joined here, by agent. Guarded by this. */
  private final Map<TxAddress, String> joined = new HashMap<>();

  ConsumerRoster(Ralph ralph, Topic topic) {
    this.topic = topic;
    this.ledger = ralph.ledger(topic, FOLD);
  }

  /** Records that this process delivers to an agent. Does nothing if that is recorded already. */
  synchronized void join(TxAddress agent) {
    if (joined.containsKey(agent)) {
      return;
    }
    String id =
        ledger.decide(
            "joining as " + agent,
            (roster, now) -> {
              Meta meta =
                  Meta.of("action", "join")
                      .with("agent", agent.toString())
                      .with("owner", "ralph")
                      .with("until", Timestamp.of(Lease.end(now, LEASE)));
              return Decision.append(
                  List.of(Draft.of(topic, ProcessIdentity.current().in(meta))),
                  (after, frames) -> frames.get(0).id());
            });
    joined.put(agent, id);
    renewal.start();
  }

  /** Records that this process no longer delivers to an agent. */
  synchronized void leave(TxAddress agent) {
    String id = joined.remove(agent);
    if (id != null) {
      append("leaving as " + agent, List.of(frame("leave", id)));
    }
  }

  private synchronized void renew() {
    Map<String, Entry> roster = ledger.state();
    List<Meta> frames = new ArrayList<>();
    for (Map.Entry<TxAddress, String> each : List.copyOf(joined.entrySet())) {
      if (roster.containsKey(each.getValue())) {
        frames.add(frame("renew", each.getValue()));
      } else {
        joined.remove(each.getKey()); // expired, for example while the machine slept
        join(each.getKey());
      }
    }
    append("renewing the roster", frames);
  }

  private static Meta frame(String action, String id) {
    return Meta.of("action", action).with("id", id);
  }

  private void append(String what, List<Meta> frames) {
    boolean unused =
        ledger.decide(
            what,
            (roster, now) ->
                Decision.append(
                    frames.stream()
                        .map(
                            meta ->
                                Draft.of(
                                    topic,
                                    "renew".equals(meta.string("action"))
                                        ? meta.with("until", Timestamp.of(Lease.end(now, LEASE)))
                                        : meta))
                        .toList(),
                    (after, appended) -> true));
  }

  /** Returns the agents with a running consumer. */
  Set<TxAddress> present() {
    return ledger.decide(
        "reading the roster",
        (roster, now) -> {
          Set<TxAddress> present = new TreeSet<>(Comparator.comparing(TxAddress::toString));
          for (Entry entry : roster.values()) {
            if (entry.isLive(now)) {
              present.add(TxAddress.parse(entry.agent));
            }
          }
          return Decision.nothing(present);
        });
  }

  /** Stops the renewal of leases. */
  @Override
  public void close() {
    renewal.close();
  }
}
