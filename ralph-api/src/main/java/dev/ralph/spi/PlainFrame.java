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
 * A frame that holds its parts, for a store that decodes them when it reads, and for tests of
 * folds. Only the content may be left in the store until it is asked for.
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
   * @param time is cut to the millisecond
   * @param content returns the text each time that it is asked for, by any thread; may read it from
   *     the store, and fail as {@link Frame#content()} does
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
   * Returns the frame that a draft becomes once it is appended.
   *
   * @param id that of the draft, or the one that was minted for it
   * @param time that of the draft or of the append; is cut to the millisecond
   */
  public static PlainFrame of(String id, Position position, Instant time, Draft draft) {
    return of(id, draft.topic(), position, time, draft.meta(), draft::content);
  }

  /** Returns what is left of this frame once it is erased. */
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
