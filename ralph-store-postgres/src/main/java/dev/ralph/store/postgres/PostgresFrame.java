package dev.ralph.store.postgres;

import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of the table of frames. A long content is read when it is asked for. */
final class PostgresFrame implements Frame {

  private final PostgresFrameStore store;
  private final Position position;
  private final Topic topic;
  private final String id;
  private final long time;
  private final String meta;
  private final byte @Nullable [] content;
  private final boolean erased;

  PostgresFrame(
      PostgresFrameStore store,
      long position,
      Topic topic,
      String id,
      long time,
      String meta,
      byte @Nullable [] content,
      boolean erased) {
    this.store = store;
    this.position = Position.of(position);
    this.topic = topic;
    this.id = id;
    this.time = time;
    this.meta = meta;
    this.content = content;
    this.erased = erased;
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
    return Instant.ofEpochMilli(time);
  }

  @Override
  public Meta meta() {
    return Meta.stored(meta);
  }

  @Override
  public String content() {
    byte[] bytes = content == null ? store.content(position) : content;
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean isErased() {
    return erased;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PostgresFrame that
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
