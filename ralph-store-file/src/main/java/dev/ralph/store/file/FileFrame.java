package dev.ralph.store.file;

import dev.ralph.log.DamagedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.store.support.internal.segment.StoredFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A frame that keeps its encoded line and decodes each part on request. Most folds read only two
 * members of the meta.
 */
final class FileFrame extends StoredFrame {

  private final byte[] bytes;
  private final int from;
  private final int to;
  private final int batchEnd;
  private final int bodyAt;
  private final Segments segments;

  private @Nullable Meta meta;
  private int metaEnd;

  /**
   * Creates a frame of an intact line.
   *
   * @param bytes contains the line, which must not change; not copied
   * @param from the start of the line
   * @param to the end of the line, without the line break
   * @param batchEnd the offset of the closing quote of the batch id
   * @param bodyAt the start of the part that erasing overwrites
   * @param metaEnd the end of the meta, or 0 to find it when needed
   */
  FileFrame(
      byte[] bytes,
      int from,
      int to,
      Topic topic,
      int batchEnd,
      int bodyAt,
      int metaEnd,
      long position,
      Segments segments) {
    super(topic, position);
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.batchEnd = batchEnd;
    this.bodyAt = bodyAt;
    this.metaEnd = metaEnd;
    this.segments = segments;
  }

  @Override
  protected String decodeId() {
    return LogLine.id(bytes, from + LogLine.ID_AT);
  }

  @Override
  public Instant time() {
    return Instant.ofEpochMilli(TimeText.read(bytes, topicEnd() + LogLine.TIME.length));
  }

  @Override
  public Meta meta() {
    Meta decoded = meta;
    if (decoded == null) {
      if (isErased()) {
        return Meta.empty();
      }
      int begin = bodyAt + LogLine.META.length;
      String json = new String(bytes, begin, metaEnd() - begin, StandardCharsets.UTF_8);
      decoded = Meta.stored(json);
      meta = decoded;
    }
    return decoded;
  }

  @Override
  public String content() {
    if (isErased()) {
      return "";
    }
    int at = metaEnd();
    if (LogLine.at(bytes, at, LogLine.CONTENT)) {
      return unescape(at + LogLine.CONTENT.length, to - LogLine.CRC_LENGTH - 1);
    }
    String address = addressAt(at);
    return address == null ? "" : contentBeside(address);
  }

  private String contentBeside(String address) {
    try {
      return new String(segments.contents().get(address), StandardCharsets.UTF_8);
    } catch (DamagedException e) {
      if (isErasedSince()) {
        return "";
      }
      throw e;
    }
  }

  private boolean isErasedSince() {
    byte[] now = segments.read(position().value(), length() - bodyFrom(), LogLine.ERASED.length);
    return LogLine.at(now, 0, LogLine.ERASED);
  }

  @Override
  public String batchId() {
    int begin = LogLine.batchAt(topicEnd());
    return new String(bytes, begin, batchEnd - begin, StandardCharsets.US_ASCII);
  }

  /**
   * Returns the last id that had been generated when this frame was appended. Only for an imported
   * frame, this differs from its own id.
   */
  String mintingClock() {
    return LogLine.mintingClock(bytes, from);
  }

  @Override
  public @Nullable String contentAddress() {
    return isErased() ? null : addressAt(metaEnd());
  }

  private @Nullable String addressAt(int at) {
    if (!LogLine.at(bytes, at, LogLine.CONTENT_REF)) {
      return null;
    }
    int begin = at + LogLine.CONTENT_REF.length;
    int end = to - LogLine.CRC_LENGTH - 1;
    return new String(bytes, begin, end - begin, StandardCharsets.US_ASCII);
  }

  private int topicEnd() {
    return from + LogLine.TOPIC_AT + topic().name().length();
  }

  @Override
  public boolean isErased() {
    return LogLine.at(bytes, bodyAt, LogLine.ERASED);
  }

  /** Returns the length of the line, including the line break. */
  int length() {
    return to - from + 1;
  }

  /**
   * Returns the offset within the line of the part that erasing overwrites. The part ends at the
   * checksum.
   */
  int bodyFrom() {
    return bodyAt - from;
  }

  private int metaEnd() {
    if (metaEnd == 0) {
      metaEnd = LogLine.endOfObject(bytes, bodyAt + LogLine.META.length, to);
    }
    return metaEnd;
  }

  private String unescape(int begin, int end) {
    if (LogLine.find((byte) '\\', ByteBuffer.wrap(bytes), begin, end) == end) {
      return new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
    }
    byte[] plain = new byte[end - begin];
    int length = 0;
    for (int at = begin; at < end; at++) {
      if (bytes[at] != '\\') {
        plain[length++] = bytes[at];
        continue;
      }
      at++;
      if (bytes[at] == 'u') { // only control characters are encoded like this
        plain[length++] =
            (byte) (Character.digit(bytes[at + 3], 16) << 4 | Character.digit(bytes[at + 4], 16));
        at += 4;
      } else {
        int control = "bfnrt".indexOf(bytes[at]);
        plain[length++] = control < 0 ? bytes[at] : (byte) "\b\f\n\r\t".charAt(control);
      }
    }
    return new String(plain, 0, length, StandardCharsets.UTF_8);
  }
}
