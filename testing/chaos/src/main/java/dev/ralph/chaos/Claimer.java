package dev.ralph.chaos;

import dev.ralph.Claim;
import dev.ralph.Ralph;
import dev.ralph.TaskLog;
import dev.ralph.log.ContendedException;
import dev.ralph.log.LockedException;
import java.time.Duration;
import java.util.Optional;

/** A process that claims tasks until none is left and prints the claims. */
public final class Claimer {

  static final String SESSION = "claims";
  static final Duration LEASE = Duration.ofHours(1);

  private Claimer() {}

  /**
   * Runs the process.
   *
   * @param args the store's address, and the claimer's name
   */
  public static void main(String[] args) {
    try (Ralph ralph = Ralph.open(args[0])) {
      TaskLog tasks = ralph.session(SESSION).tasks();
      while (true) {
        Optional<Claim> claim;
        try {
          claim = tasks.claimNext(args[1], LEASE);
        } catch (ContendedException | LockedException e) {
          continue;
        }
        if (claim.isEmpty()) {
          return;
        }
        System.out.println(claim.get().taskId());
      }
    }
  }
}
