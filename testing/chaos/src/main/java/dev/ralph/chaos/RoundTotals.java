package dev.ralph.chaos;

import java.util.List;
import java.util.Locale;

/** The totals of all rounds so far. */
final class RoundTotals {

  private final String title;
  private int rounds;
  private int ended;
  private long acknowledged;
  private long frames;
  private long characters;
  private long unacknowledged;
  private long refused;
  private long unknown;

  // The present store; each check counts all of its frames again.
  private LogCheck.Result current = new LogCheck.Result(0, 0, 0, 0, List.of());
  private long currentRefused;
  private long currentUnknown;

  RoundTotals(String title) {
    this.title = title;
  }

  void round(int processesEnded, LogCheck.Result result, List<Journal.Account> accounts) {
    rounds++;
    ended += processesEnded;
    current = result;
    currentRefused = accounts.stream().mapToLong(a -> a.refused().size()).sum();
    currentUnknown = accounts.stream().mapToLong(Journal.Account::unknown).sum();
  }

  /** Starts the next round with a new store. */
  void newStore() {
    acknowledged += current.batches();
    frames += current.frames();
    characters += current.characters();
    unacknowledged += current.unacknowledged();
    refused += currentRefused;
    unknown += currentUnknown;
    current = new LogCheck.Result(0, 0, 0, 0, List.of());
    currentRefused = 0;
    currentUnknown = 0;
  }

  int rounds() {
    return rounds;
  }

  long acknowledged() {
    return acknowledged + current.batches();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s: %d rounds, %d processes ended, %,d appends acknowledged, %,d frames, %,d MB of text; "
            + "%,d complete but unacknowledged appends, %,d unknown outcomes, "
            + "%,d conflicts and rejections; nothing lost, invented, incomplete or out of order",
        title,
        rounds,
        ended,
        acknowledged(),
        frames + current.frames(),
        (characters + current.characters()) / 1_000_000,
        unacknowledged + current.unacknowledged(),
        unknown + currentUnknown,
        refused + currentRefused);
  }
}
