package dev.ralph.chaos;

import java.util.List;
import java.util.Locale;

/** What came of all rounds so far. */
final class Totals {

  private final String what;
  private int rounds;
  private int ended;
  private long acknowledged;
  private long frames;
  private long characters;
  private long unacknowledged;
  private long refused;
  private long unknown;

  // of the store in use; each check counts everything in it again
  private Check.Result current = new Check.Result(0, 0, 0, 0, List.of());
  private long currentRefused;
  private long currentUnknown;

  Totals(String what) {
    this.what = what;
  }

  void round(int processesEnded, Check.Result result, List<Journal.Account> accounts) {
    rounds++;
    ended += processesEnded;
    current = result;
    currentRefused = accounts.stream().mapToLong(a -> a.refused().size()).sum();
    currentUnknown = accounts.stream().mapToLong(Journal.Account::unknown).sum();
  }

  /** Says that the next round is the first of a new store. */
  void newStore() {
    acknowledged += current.batches();
    frames += current.frames();
    characters += current.characters();
    unacknowledged += current.unacknowledged();
    refused += currentRefused;
    unknown += currentUnknown;
    current = new Check.Result(0, 0, 0, 0, List.of());
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
            + "%,d appends whole in the log that nobody was told of, %,d told unknown, "
            + "%,d conflicts and refusals; nothing lost, invented, torn or out of order",
        what,
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
