package dev.ralph.core.internal.memory;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Position;
import dev.ralph.Topic;
import java.time.Instant;

/**
 * A draft, and what appending it added.
 *
 * @param time when it was appended, or what the draft says
 */
public record MemoryFrame(Draft draft, String id, Position position, Instant time)
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

  @Override
  public String toString() {
    return id + " " + draft;
  }
}
