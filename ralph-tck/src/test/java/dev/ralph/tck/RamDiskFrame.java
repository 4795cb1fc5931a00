package dev.ralph.tck;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Position;
import dev.ralph.Topic;
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
