package dev.ralph.web.internal.access;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Keys of browsers. They are in memory only and end with the server. Safe for many threads. */
final class PageKeys {

  /** A further key of the same owner replaces the oldest one. */
  private static final int MOST_OF_ONE = 64;

  private final ReentrantLock lock = new ReentrantLock();

  /** By hash of the key, oldest first. Under the lock. */
  private final Map<String, Owner> owners = new LinkedHashMap<>();

  /**
   * Owner of a key.
   *
   * @param id hash of the code or the token that bought the key
   * @param pass rights when the key was bought
   * @param token the token that bought the key, which is looked up at each request; null if a code
   *     bought it
   */
  record Owner(String id, Pass pass, @Nullable String token) {}

  /** Returns a new key. */
  String add(Owner owner) {
    String key = Token.random();
    lock.lock();
    try {
      long count = owners.values().stream().filter(each -> each.id().equals(owner.id())).count();
      if (count >= MOST_OF_ONE) {
        Optional<String> oldest =
            owners.entrySet().stream()
                .filter(each -> each.getValue().id().equals(owner.id()))
                .map(Map.Entry::getKey)
                .findFirst();
        oldest.ifPresent(owners::remove);
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
