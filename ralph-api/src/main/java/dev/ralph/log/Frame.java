package dev.ralph.log;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * An entry of the log. Immutable; safe for use by many threads.
 *
 * <p>A store may decode parts of a frame on demand, so {@link #content()} may read from the store
 * and fail like a method of the store.
 *
 * <p>Two frames of a store are equal if their ids and positions are equal, and both or neither are
 * erased. A frame's {@code toString} omits the content, which may be long or secret.
 */
public interface Frame {

  /**
   * Returns a frame that keeps its parts in memory, for stores and tests.
   *
   * @param time the time, which is cut to the millisecond
   * @param content returns the content. Any thread may call it many times. It may read from the
   *     store, and fail like {@link #content()}
   */
  static Frame of(
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
  static Frame of(String id, Position position, Instant time, Draft draft) {
    return of(id, draft.topic(), position, time, draft.meta(), draft::content);
  }

  /** Returns the frame's id: 25 characters of base 36 (SCRU128), unique in the store. */
  String id();

  /** Returns the topic that the frame was appended to. */
  Topic topic();

  /** Returns the frame's place in the store's order. */
  Position position();

  /**
   * Returns the time of the append by the appender's clock, or the original time of an imported
   * frame. The precision is one millisecond. The time in the id may differ.
   */
  Instant time();

  /** Returns the frame's metadata, which may be empty. */
  Meta meta();

  /**
   * Returns the frame's text, which may be empty.
   *
   * @throws DamagedException if the text is damaged and the rest of the frame is intact
   */
  String content();

  /**
   * Returns whether the frame was {@linkplain FrameLog#erase erased}. An erased frame keeps its id,
   * topic, time and position. Its metadata and content are empty, and folds do not get the frame.
   */
  default boolean isErased() {
    return false;
  }

  /** Returns this frame without its metadata and content, as erased. For stores. */
  default Frame erased() {
    return new PlainFrame(id(), topic(), position(), time(), Meta.empty(), () -> "", true);
  }

  /**
   * Returns whether the frame is the store's notice that frames of its topic were erased. Readers
   * with a folded state drop the erased frames; folds do not get the notice.
   */
  default boolean isErasureNotice() {
    return meta().json().startsWith(Draft.ERASURE_MARK);
  }

  /** Returns the ids of the erased frames if this frame is a notice, otherwise an empty list. */
  default List<String> erasedIds() {
    return isErasureNotice() ? meta().strings("ids") : List.of();
  }

  /**
   * Returns the frame as JSON, with the members of {@code ralph log --json}: {@code id}, {@code
   * topic}, {@code time}, {@code meta}, {@code content}, and {@code erased} if true. The position
   * is left out, because it has no meaning outside the store. Jackson serializes the frame as this
   * object.
   *
   * @throws DamagedException as {@link #content()}
   */
  @JsonValue
  default Meta json() {
    return Meta.of("id", id())
        .with("topic", topic().name())
        .with("time", JsonText.time(time()))
        .with("meta", meta())
        .with("content", content())
        .with("erased", isErased() ? true : null);
  }
}
