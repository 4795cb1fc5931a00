package dev.ralph.tck;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;

/** A frame as a {@link RamDiskStore} keeps it. */
record RamDiskFrame(String id, Position position, Instant time, Draft draft) implements Frame {

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
}
