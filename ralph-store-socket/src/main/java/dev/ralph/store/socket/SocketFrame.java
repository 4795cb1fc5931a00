package dev.ralph.store.socket;

import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A frame as it came. A long content is read when it is asked for. */
final class SocketFrame implements Frame {

  private final SocketFrameStore store;
  private final String id;
  private final Topic topic;
  private final Position position;
  private final Instant time;
  private final Meta meta;
  private final boolean erased;
  private final @Nullable String content;

  SocketFrame(
      SocketFrameStore store,
      String id,
      Topic topic,
      Position position,
      Instant time,
      Meta meta,
      boolean erased,
      @Nullable String content) {
    this.store = store;
    this.id = id;
    this.topic = topic;
    this.position = position;
    this.time = time;
    this.meta = meta;
    this.erased = erased;
    this.content = content;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Topic topic() {
    return topic;
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
    return meta;
  }

  @Override
  public String content() {
    return content == null ? store.content(id) : content;
  }

  @Override
  public boolean isErased() {
    return erased;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SocketFrame that
        && that.id.equals(id)
        && that.position.equals(position)
        && that.erased == erased;
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return id + " " + topic + " " + meta;
  }
}
