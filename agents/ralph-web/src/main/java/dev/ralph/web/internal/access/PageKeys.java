package dev.ralph.web.internal.access;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keys of browsers. They are in memory only and expire with the server. Safe for use by many
 * threads.
 */
final class PageKeys {

  /** The most keys of an owner. A further key replaces the oldest key. */
  private static final int MOST_OF_ONE = 64;

  private final ReentrantLock lock = new ReentrantLock();

  /** The owners by hash of the key, oldest first. Guarded by the lock. */
  private final Map<String, Owner> owners = new LinkedHashMap<>();

  /**
   * The owner of a key.
   *
   * @param id the hash of the code or token exchanged for the key
   * @param pass the rights at the time of the exchange
   * @param token the exchanged token, validated at each request; null for a code
   */
  record Owner(String id, TokenRights pass, @Nullable String token) {}

  /** Creates and returns a key. */
  String add(Owner owner) {
    String key = Token.random();
    lock.lock();
    try {
      String oldest = null;
      int count = 0;
      for (Map.Entry<String, Owner> each : owners.entrySet()) {
        if (each.getValue().id().equals(owner.id())) {
          oldest = oldest == null ? each.getKey() : oldest;
          count++;
        }
      }
      if (oldest != null && count >= MOST_OF_ONE) {
        owners.remove(oldest);
      }
      owners.put(Token.hash(key), owner);
    } finally {
      lock.unlock();
    }
    return key;
  }

  /** Returns the owner of a key, or null if the key is unknown. */
  @Nullable Owner owner(String key) {
    String hash = Token.hash(key);
    lock.lock();
    try {
      return owners.get(hash);
    } finally {
      lock.unlock();
    }
  }
}
