package dev.ralph.core.internal.tool;

import dev.ralph.Claim;
import dev.ralph.Session;
import dev.ralph.domain.Lease;
import dev.ralph.log.ContendedException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that an agent has claimed. Their short leases are renewed while the agent runs, so the
 * tasks of a killed agent are soon free. Safe for use by many threads.
 */
final class HeldClaims {

  private record Held(Session session, Claim claim) {}

  private final Duration lease;
  private final Map<String, Held> claims = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Lease.Renewal renewal;

  HeldClaims(Duration lease) {
    this.lease = lease;
    this.renewal = new Lease.Renewal(lease, this::renewAll);
  }

  Duration lease() {
    return lease;
  }

  /** Returns the lock for calls that read the claims and then create a claim. */
  ReentrantLock lock() {
    return lock;
  }

  /** Returns the ids of the claimed tasks of a session, in the order of the claims. */
  List<String> tasks(Session session) {
    return claims.values().stream()
        .filter(held -> held.session().name().equals(session.name()))
        .map(Held::claim)
        .sorted(Comparator.comparing(Claim::token))
        .map(Claim::taskId)
        .toList();
  }

  /** Adds a new claim, and renews its lease from now on. */
  void hold(Session session, Claim claim) {
    claims.put(claim.taskId(), new Held(session, claim));
    renewal.start();
  }

  /** Returns the token of the held claim on a task, or null. */
  @Nullable String token(String taskId) {
    Held held = claims.get(taskId);
    return held == null ? null : held.claim().token();
  }

  /** Removes an ended claim. */
  void forget(String taskId) {
    claims.remove(taskId);
  }

  private void renewAll() {
    claims.forEach(
        (task, held) -> {
          try {
            held.session().tasks().renew(held.claim(), lease);
          } catch (ContendedException e) {
            // Another agent has claimed the task, or an operator ended the claim.
            claims.remove(task, held);
          } catch (RuntimeException e) {
            log().log(Level.DEBUG, "can't renew a claim; retrying", e);
          }
        });
  }

  /** Releases all held claims, because the agent has ended. */
  void releaseAll() {
    renewal.close();
    claims.forEach(
        (task, held) -> {
          try {
            held.session().tasks().release(held.claim());
          } catch (RuntimeException e) {
            log().log(Level.DEBUG, "can't release a claim; its lease expires later", e);
          }
        });
    claims.clear();
  }

  private static System.Logger log() {
    return System.getLogger(HeldClaims.class.getName());
  }
}
