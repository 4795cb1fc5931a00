package dev.ralph.log;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The part of a new frame that the writer chooses. The store adds id, position and time. */
public final class Draft {
  private static final Meta ERASURE = Meta.of("action", "erased").with("ids", List.of());

  /** The beginning of the metadata of each notice of an erasure. */
  static final String ERASURE_MARK = ERASURE.json().substring(0, ERASURE.json().indexOf('['));

  private final Topic topic;
  private final Meta meta;
  private final String content;
  private final @Nullable String id;
  private final @Nullable Instant time;

  private Draft(
      Topic topic, Meta meta, String content, @Nullable String id, @Nullable Instant time) {
    this.topic = topic;
    this.meta = meta;
    this.content = content;
    this.id = id;
    this.time = time;
  }

  /** Returns a draft with metadata and empty content. */
  public static Draft of(Topic topic, Meta meta) {
    return of(topic, meta, "");
  }

  /**
   * Returns a draft.
   *
   * @throws RalphException INVALID if the content has an unpaired surrogate, which no Unicode
   *     encoding can represent
   */
  public static Draft of(Topic topic, Meta meta, String content) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(meta, "meta");
    Objects.requireNonNull(content, "content");
    return new Draft(topic, meta, RalphException.requireUnicode("content", content), null, null);
  }

  /**
   * Returns the notice that a store appends after it has erased frames of a topic; see {@link
   * Frame#isErasureNotice}.
   *
   * @param ids the ids of the erased frames, at least one
   */
  public static Draft erasureNotice(Topic topic, List<String> ids) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(ids, "ids");
    return of(topic, ERASURE.with("ids", List.copyOf(ids)));
  }

  /**
   * Returns a draft with the id and time of a frame of another store. The time is cut to the
   * millisecond. A store skips the draft if it already has a frame with the id; if the content of
   * that frame is damaged and the draft has the same content, the store restores the content. An
   * imported id has no influence on the ids that the store creates.
   *
   * @throws RalphException INVALID if the id is not 25 characters of {@code [0-9a-z]}, or the
   *     content has an unpaired surrogate
   */
  public static Draft imported(String id, Instant time, Topic topic, Meta meta, String content) {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(meta, "meta");
    Objects.requireNonNull(content, "content");
    if (!isId(id)) {
      throw RalphException.invalid(
          "frame id " + RalphException.quote(id) + " must be 25 characters of 0-9 and a-z");
    }
    return new Draft(topic, meta, RalphException.requireUnicode("content", content), id, time);
  }

  private static boolean isId(String id) {
    if (id.length() != 25) {
      return false;
    }
    for (int i = 0; i < 25; i++) {
      char c = id.charAt(i);
      if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'z')) {
        return false;
      }
    }
    return true;
  }

  /** Returns the topic. */
  public Topic topic() {
    return topic;
  }

  /** Returns the metadata. */
  public Meta meta() {
    return meta;
  }

  /** Returns the content. */
  public String content() {
    return content;
  }

  /** Returns the id of an imported frame, or null if the store creates the id. */
  public @Nullable String id() {
    return id;
  }

  /**
   * Returns the time of an imported frame, cut to the millisecond, or null if the store sets the
   * time.
   */
  public @Nullable Instant time() {
    return time;
  }

  @Override
  public String toString() {
    return topic + " " + meta + (content.isEmpty() ? "" : " + " + content.length() + " characters");
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Draft)) {
      return false;
    }
    Draft that = (Draft) other;
    return Objects.equals(topic, that.topic)
        && Objects.equals(meta, that.meta)
        && Objects.equals(content, that.content)
        && Objects.equals(id, that.id)
        && Objects.equals(time, that.time);
  }

  @Override
  public int hashCode() {
    return Objects.hash(topic, meta, content, id, time);
  }
}
