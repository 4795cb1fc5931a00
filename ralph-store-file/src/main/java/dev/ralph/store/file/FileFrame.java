package dev.ralph.store.file;

import dev.ralph.log.DamagedException;
import dev.ralph.log.Meta;
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

  /** The offset of the closing quote of the batch id. */
  private final int batchEnd;

  /** The start of the part that erasing overwrites. */
  private final int bodyAt;

  private final Segments segments;

  private @Nullable Meta meta;

  /** The end of the meta, or 0 to find it when needed. */
  private int metaEnd;

  /**
   * Creates the frame of an intact line.
   *
   * @param line the line without the line break, which must not change; not copied
   * @param found the fields of the line, found in a buffer that contains the line
   * @param from the start of the line in the buffer
   * @param position the position after the line
   */
  FileFrame(byte[] line, LineFields found, int from, long position, Segments segments) {
    super(found.topic().topic, position);
    this.bytes = line;
    this.from = 0;
    this.to = line.length;
    this.batchEnd = found.batchEnd() - from;
    this.bodyAt = found.bodyAt() - from;
    this.metaEnd = found.metaEnd() - from;
    this.segments = segments;
  }

  /**
   * Creates the frame of a line of a batch, whose bytes must not change; not copied.
   *
   * @param position the position after the line
   */
  FileFrame(BatchLines lines, int line, long position, Segments segments) {
    super(lines.topic(line), position);
    this.bytes = lines.bytes();
    this.from = lines.start(line);
    this.to = lines.end(line) - 1;
    this.batchEnd = LogLine.batchAt(topicEnd()) + lines.batchIdLength();
    this.bodyAt = lines.bodyAt(line);
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
    return LogLine.at(now, 0, LogLine.ERASED) || segments.isInGap(position().value());
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
