package dev.ralph.core.internal.memory;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Position;
import dev.ralph.Topic;
import java.time.Instant;

/** A draft, and what the store added to it. */
final class MemoryFrame implements Frame {

  private final Draft draft;
  private final String id;
  private final Position position;
  private final Instant time;

  MemoryFrame(Draft draft, String id, Position position, Instant time) {
    this.draft = draft;
    this.id = id;
    this.position = position;
    this.time = time;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Topic topic() {
    return draft.topic();
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public Instant time() {
    return time;
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
