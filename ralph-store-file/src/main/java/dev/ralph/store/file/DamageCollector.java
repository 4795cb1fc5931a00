package dev.ralph.store.file;

import dev.ralph.log.Damage;
import java.util.ArrayList;
import java.util.List;

/**
 * The damage that a reader found. Adjacent damage is merged. Not safe for use by several threads.
 */
final class DamageCollector {

  private static final int MOST_KEPT = 10_000;

  private final List<Damage> all = new ArrayList<>();
  private int count;

  List<Damage> all() {
    return all;
  }

  /** Returns the number of calls of {@link #note}. */
  int count() {
    return count;
  }

  /**
   * Records a damaged range of a file. Ignores a repetition of the last range, which a reader of a
   * growing file reports again.
   */
  void note(String file, long offset, long bytes, long frames, String what) {
    count++;
    int last = all.size() - 1;
    if (last >= 0 && all.get(last).file().equals(file)) {
      Damage before = all.get(last);
      if (before.offset() == offset && before.bytes() == bytes) {
        return;
      }
      if (before.offset() + before.bytes() == offset && areAlike(before.description(), what)) {
        all.set(
            last,
            new Damage(
                file,
                before.offset(),
                before.bytes() + bytes,
                before.frames() + frames,
                before.description()));
        return;
      }
    }
    if (all.size() < MOST_KEPT) {
      all.add(new Damage(file, offset, bytes, frames, what));
    }
  }

  private static boolean areAlike(String one, String other) {
    return one.equals(other) || !LineChain.isAbout(one) && !LineChain.isAbout(other);
  }
}
