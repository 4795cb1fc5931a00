package dev.ralph.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/**
 * A frame that keeps its parts in memory. Only the content may be read from the store on demand.
 */
final class PlainFrame implements Frame {

  private final String id;
  private final Topic topic;
  private final Position position;
  private final Instant time;
  private final Meta meta;
  private final Supplier<String> content;
  private final boolean erased;

  PlainFrame(
      String id,
      Topic topic,
      Position position,
      Instant time,
      Meta meta,
      Supplier<String> content,
      boolean erased) {
    this.id = id;
    this.topic = topic;
    this.position = position;
    this.time = time.truncatedTo(ChronoUnit.MILLIS);
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
    return time;
  }

  @Override
  public Meta meta() {
    return meta;
  }

  @Override
  public String content() {
    return content.get();
  }

  @Override
  public boolean isErased() {
    return erased;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PlainFrame
        && ((PlainFrame) other).id.equals(id)
        && ((PlainFrame) other).position.equals(position)
        && ((PlainFrame) other).erased == erased;
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return id + " " + topic + (erased ? " (erased)" : " " + meta);
  }
}
