package dev.ralph.core.internal.view;

import dev.ralph.domain.NumberedState;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps the numbers of erased frames from being given again: what was said of {@code t7} must not
 * come to mean another task. To erase all of a topic is to end it for good, so its numbers begin at
 * 1 again.
 */
final class NumberKeepingStore extends ForwardingStore {

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

  /** Erases frames with their numbers. */
  int eraseWithNumbers(Collection<String> ids) {
    return super.erase(ids);
  }

  /**
   * Appends what keeps the numbers, before the frames are erased: whatever happens in between, no
   * number is lost. One that is kept without need does no harm.
   */
  private void keepNumbers(Collection<String> ids) {
    Map<Topic, List<Frame>> byTopic = new TreeMap<>();
    for (String id : ids) {
      Optional<Frame> frame = get(id);
      if (frame.isEmpty()) {
        return; // the store refuses to erase then
      }
      byTopic.computeIfAbsent(frame.get().topic(), none -> new ArrayList<>()).add(frame.get());
    }
    byTopic.forEach(
        (topic, frames) -> NumberedState.keepingNumbers(topic, frames).ifPresent(this::append));
  }

  private void append(Draft draft) {
    append(Batch.of(batchIds.next(), List.of(draft)));
  }
}
