package dev.ralph.examples.store;

import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;

/** A frame, as it was read or appended. */
record JournalFrame(
    String id, Topic topic, Position position, Instant time, Meta meta, String content)
    implements Frame {

  @Override
  public String toString() {
    return id + " " + topic + " " + meta;
  }
}
