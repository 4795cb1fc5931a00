package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import org.jspecify.annotations.Nullable;

/** A frame as a log holds it; what is not asked for need not be decoded. */
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

  /** Returns the id. Threads that ask at once may each call this. */
  protected abstract String decodeId();

  @Override
  public final Topic topic() {
    return topic;
  }

  @Override
  public final Position position() {
    return Position.of(position);
  }

  /** Returns the id of the batch that the frame was appended in. */
  public abstract String batchId();

  /** Returns the address of the content if it lies beside the log, else null. */
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
