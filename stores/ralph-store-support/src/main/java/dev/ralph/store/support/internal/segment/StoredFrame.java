package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import org.jspecify.annotations.Nullable;

/** A frame in a log. Subclasses may decode its parts when they are requested. */
public abstract class StoredFrame implements Frame {

  private final Topic topic;
  private final long position;
  private @Nullable String id;

  protected StoredFrame(Topic topic, long position) {
    this.topic = topic;
    this.position = position;
  }

  @Override
  public final String id() {
    String decoded = id;
    if (decoded == null) {
      decoded = decodeId();
      id = decoded;
    }
    return decoded;
  }

  /** Decodes the id. Concurrent threads may each call this method. */
  protected abstract String decodeId();

  @Override
  public final Topic topic() {
    return topic;
  }

  @Override
  public final Position position() {
    return Position.of(position);
  }

  /** Returns the id of the batch with which the frame was appended. */
  public abstract String batchId();

  /** Returns the address of the content file, or null if the log contains the content. */
  public abstract @Nullable String contentAddress();

  @Override
  public final String toString() {
    return id() + " " + topic + (isErased() ? " (erased)" : " " + meta());
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof StoredFrame frame
        && frame.position == position
        && frame.id().equals(id())
        && frame.isErased() == isErased();
  }

  @Override
  public final int hashCode() {
    return id().hashCode();
  }
}
