package dev.ralph.core.internal.view;

import dev.ralph.domain.NumberedState;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reserves the numbers of erased frames, so that {@code t7} never refers to another task. After the
 * erasure of a whole topic, its numbers start at 1 again.
 */
final class NumberKeepingStore extends ForwardingStore {

  /** The most single lookups of frames; beyond this number, whole topics are read. */
  private static final int MOST_LOOKUPS = 16;

  private final Scru128 batchIds;

  NumberKeepingStore(FrameStore store, Scru128 batchIds) {
    super(store);
    this.batchIds = batchIds;
  }

  @Override
  public int erase(Collection<String> ids) {
    if (info().capabilities().contains(Capability.ERASES)) {
      keepNumbers(ids);
    }
    return super.erase(ids);
  }

  /** Erases frames without reserving their numbers. */
  int eraseWithNumbers(Collection<String> ids) {
    return super.erase(ids);
  }

  /**
   * Appends frames that reserve the numbers, before the erasure, so that a crash loses no number. A
   * number that is reserved without need has no effect.
   */
  private void keepNumbers(Collection<String> ids) {
    Map<Topic, List<Frame>> byTopic = new TreeMap<>();
    Set<String> left = new TreeSet<>(ids);
    int lookups = 0;
    while (!left.isEmpty()) {
      Frame frame = get(left.iterator().next()).orElse(null);
      if (frame == null) {
        return; // the store rejects the erasure
      }
      if (lookups++ < MOST_LOOKUPS) {
        left.remove(frame.id());
        byTopic.computeIfAbsent(frame.topic(), none -> new ArrayList<>()).add(frame);
      } else {
        List<Frame> frames = byTopic.computeIfAbsent(frame.topic(), none -> new ArrayList<>());
        findAll(frame.topic(), left, frames);
        left.remove(frame.id()); // also if the frame was erased since
      }
    }
    byTopic.forEach(
        (topic, frames) -> NumberedState.keepingNumbers(topic, frames).ifPresent(this::append));
  }

  /** Finds the frames of a topic with one read, and removes their ids from the set. */
  private void findAll(Topic topic, Set<String> left, List<Frame> found) {
    try (FrameCursor frames = read(Query.of(TopicFilter.of(topic)))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (left.remove(frame.id())) {
          found.add(frame);
        }
      }
    }
  }

  private void append(Draft draft) {
    append(Batch.of(batchIds.next(), List.of(draft)));
  }
}
