package dev.ralph.transfer;

import dev.ralph.log.Damage;
import java.util.List;

/** What an export holds, and what it lacks. Immutable. */
public final class ExportReport {

  private final long frames;
  private final List<Damage> damage;

  ExportReport(long frames, List<Damage> damage) {
    this.frames = frames;
    this.damage = List.copyOf(damage);
  }

  /** Returns how many frames were written. */
  public long frames() {
    return frames;
  }

  /** Returns what could not be read in the store, and so is not in the export. */
  public List<Damage> damage() {
    return damage;
  }

  /** Returns whether the export holds every frame that was asked for. */
  public boolean isComplete() {
    return damage.isEmpty();
  }
}
