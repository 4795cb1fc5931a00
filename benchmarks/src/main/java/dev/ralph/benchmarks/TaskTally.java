package dev.ralph.benchmarks;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A small summary of task frames that needs all of their fields, so that the benchmark measures the
 * access to the fields.
 */
final class TaskTally {

  long frames;
  long added;
  long completed;
  long numbers;
  long characters;
  int hash;

  /** Returns a fold of frames into a tally. */
  static Fold<TaskTally, TaskTally> fold() {
    return Fold.of("benchmark.tally", TaskTally::new, TaskTally::take, tally -> tally);
  }

  void take(Frame frame) {
    Meta meta = frame.meta();
    OptionalLong n = meta.integer("n");
    take(
        frame.id(),
        frame.topic().name(),
        meta.string("action"),
        meta.string("status"),
        n.isPresent() ? n.getAsLong() : 0,
        frame.content());
  }

  void take(
      String id,
      String topic,
      @Nullable String action,
      @Nullable String status,
      long n,
      String content) {
    frames++;
    added += "add".equals(action) ? 1 : 0;
    completed += "completed".equals(status) ? 1 : 0;
    numbers += n;
    characters += content.length();
    hash ^= id.hashCode() ^ topic.length();
  }

  /** Returns whether both tallies are equal. */
  boolean isSameAs(TaskTally other) {
    return frames == other.frames
        && added == other.added
        && completed == other.completed
        && numbers == other.numbers
        && characters == other.characters
        && hash == other.hash;
  }
}
