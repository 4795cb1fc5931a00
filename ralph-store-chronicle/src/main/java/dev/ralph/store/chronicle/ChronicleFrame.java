package dev.ralph.store.chronicle;

import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.internal.segment.StoredFrame;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A frame that decodes an excerpt on demand. */
final class ChronicleFrame extends StoredFrame {

  private final byte[] excerpt;
  private final int from;
  private final HashedContentStore contents;
  private @Nullable Meta meta;

  /**
   * Creates a frame.
   *
   * @param excerpt the excerpt, which is not copied
   * @param from the index of the frame in the excerpt
   */
  ChronicleFrame(
      byte[] excerpt, int from, Topic topic, long position, HashedContentStore contents) {
    super(topic, position);
    this.excerpt = excerpt;
    this.from = from;
    this.contents = contents;
  }

  @Override
  protected String decodeId() {
    return new String(excerpt, from + 4, BatchExcerpt.ID_LENGTH, StandardCharsets.ISO_8859_1);
  }

  @Override
  public Instant time() {
    return Instant.ofEpochMilli(BatchExcerpt.longAt(excerpt, from + 4 + BatchExcerpt.ID_LENGTH));
  }

  @Override
  public Meta meta() {
    Meta decoded = meta;
    if (decoded == null) {
      int at = kindAt() + 1;
      decoded =
          Meta.stored(
              new String(excerpt, at + 4, BatchExcerpt.intAt(excerpt, at), StandardCharsets.UTF_8));
      meta = decoded;
    }
    return decoded;
  }

  @Override
  public String content() {
    int at = kindAt();
    int kind = excerpt[at];
    if (kind == BatchExcerpt.EMPTY) {
      return "";
    }
    String value = value(at);
    return kind == BatchExcerpt.INLINE
        ? value
        : new String(contents.get(value), StandardCharsets.UTF_8);
  }

  private String value(int kindAt) {
    int begin = kindAt + 5 + BatchExcerpt.intAt(excerpt, kindAt + 1);
    int end = from + BatchExcerpt.intAt(excerpt, from);
    return new String(excerpt, begin, end - begin, StandardCharsets.UTF_8);
  }

  @Override
  public String batchId() {
    return new String(
        excerpt,
        BatchExcerpt.BATCH_AT + 1,
        excerpt[BatchExcerpt.BATCH_AT],
        StandardCharsets.US_ASCII);
  }

  @Override
  public @Nullable String contentAddress() {
    int at = kindAt();
    return excerpt[at] == BatchExcerpt.EXTERNAL ? value(at) : null;
  }

  private int kindAt() {
    return from + 4 + BatchExcerpt.ID_LENGTH + 8 + 1 + topic().name().length();
  }
}
