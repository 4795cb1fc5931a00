package dev.ralph.spi;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/**
 * A frame that keeps its parts in memory, for stores that decode whole frames and for tests of
 * folds. Only the content may be read from the store on demand.
 */
public final class PlainFrame implements Frame {

  private final String id;
  private final Topic topic;
  private final Position position;
  private final Instant time;
  private final Meta meta;
  private final Supplier<String> content;
  private final boolean erased;

  private PlainFrame(
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

  /**
   * Returns a frame.
   *
   * @param time the time, which is cut to the millisecond
   * @param content returns the content. Any thread may call it many times. It may read from the
   *     store, and fail like {@link Frame#content()}
   */
  public static PlainFrame of(
      String id,
      Topic topic,
      Position position,
      Instant time,
      Meta meta,
      Supplier<String> content) {
    return new PlainFrame(id, topic, position, time, meta, content, false);
  }

  /**
   * Returns the frame of an appended draft.
   *
   * @param id the id of the draft, or the id that the store created
   * @param time the time of the draft or of the append, which is cut to the millisecond
   */
  public static PlainFrame of(String id, Position position, Instant time, Draft draft) {
    return of(id, draft.topic(), position, time, draft.meta(), draft::content);
  }

  /** Returns this frame without its metadata and content, as erased. */
  public PlainFrame erased() {
    return new PlainFrame(id, topic, position, time, Meta.empty(), () -> "", true);
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
