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
