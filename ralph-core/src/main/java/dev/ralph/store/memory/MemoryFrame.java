package dev.ralph.store.memory;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;

/**
 * A draft, and what appending it added.
 *
 * @param time when it was appended, or what the draft says
 * @param isErased whether the draft's meta data and content were taken out
 */
public record MemoryFrame(Draft draft, String id, Position position, Instant time, boolean isErased)
    implements Frame {

  @Override
  public Topic topic() {
    return draft.topic();
  }

  @Override
  public Meta meta() {
    return draft.meta();
  }

  @Override
  public String content() {
    return draft.content();
  }

  /** Returns what is left of this frame once it is erased. */
  MemoryFrame erased() {
    return new MemoryFrame(Draft.of(topic(), Meta.empty()), id, position, time, true);
  }

  @Override
  public String toString() {
    return id + " " + topic() + (isErased ? " (erased)" : " " + meta());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MemoryFrame
        && ((MemoryFrame) other).id.equals(id)
        && ((MemoryFrame) other).position.equals(position)
        && ((MemoryFrame) other).isErased == isErased;
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }
}
