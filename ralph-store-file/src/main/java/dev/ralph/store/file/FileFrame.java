package dev.ralph.store.file;

import dev.ralph.Meta;
import dev.ralph.Position;
import dev.ralph.Topic;
import dev.ralph.spi.ContentStore;
import dev.ralph.store.support.StoredFrame;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import javax.annotation.Nullable;

/**
 * A frame that keeps its line and decodes what is asked for: most folds need two members of the
 * meta.
 */
final class FileFrame implements StoredFrame {

  private final byte[] line;
  private final Topic topic;
  private final int batchEnd;
  private final long position;
  private final ContentStore contents;

  @Nullable private String id;
  @Nullable private Meta meta;
  private int metaEnd;

  /**
   * Makes a frame of an intact line.
   *
   * @param line the line without its line break; not copied
   * @param batchEnd where the quote stands that closes the batch's id
   */
  FileFrame(byte[] line, Topic topic, int batchEnd, long position, ContentStore contents) {
    this.line = line;
    this.topic = topic;
    this.batchEnd = batchEnd;
    this.position = position;
    this.contents = contents;
  }

  @Override
  public String id() {
    String decoded = id;
    if (decoded == null) {
      decoded = new String(line, Line.ID_AT, Line.ID_LENGTH, StandardCharsets.ISO_8859_1);
      id = decoded;
    }
    return decoded;
  }

  @Override
  public Topic topic() {
    return topic;
  }

  @Override
  public Position position() {
    return Position.of(position);
  }

  @Override
  public Instant time() {
    return Instant.ofEpochMilli(TimeText.read(line, topicEnd() + Line.TIME.length));
  }

  @Override
  public Meta meta() {
    Meta decoded = meta;
    if (decoded == null) {
      int from = metaAt();
      int to = Line.endOfObject(line, from);
      decoded = Meta.stored(new String(line, from, to - from, StandardCharsets.UTF_8));
      metaEnd = to;
      meta = decoded;
    }
    return decoded;
  }

  @Override
  public String content() {
    int at = metaEnd != 0 ? metaEnd : Line.endOfObject(line, metaAt());
    if (Line.at(line, at, Line.CONTENT)) {
      int from = at + Line.CONTENT.length;
      return unescape(from, line.length - Line.CRC_LENGTH - 1);
    }
    if (Line.at(line, at, Line.CONTENT_REF)) {
      int from = at + Line.CONTENT_REF.length;
      int to = Line.endOfString(line, from);
      String address = new String(line, from, to - from, StandardCharsets.US_ASCII);
      return new String(contents.get(address), StandardCharsets.UTF_8);
    }
    return "";
  }

  @Override
  public String batchId() {
    int from = Line.batchAt(topicEnd());
    return new String(line, from, batchEnd - from, StandardCharsets.US_ASCII);
  }

  /** Returns the id that was last minted when this frame was appended: its own, unless imported. */
  String mintingClock() {
    String clock = Line.clock(line, 0);
    return clock == null ? id() : clock;
  }

  @Override
  public boolean hasContentBeside() {
    return Line.at(line, Line.endOfObject(line, metaAt()), Line.CONTENT_REF);
  }

  private int topicEnd() {
    return Line.TOPIC_AT + topic.name().length();
  }

  private int metaAt() {
    int at = batchEnd + 1;
    while (!Line.at(line, at, Line.META)) {
      at = Line.indexOf(line, at + 1, (byte) ',');
    }
    return at + Line.META.length;
  }

  private String unescape(int from, int to) {
    String written = new String(line, from, to - from, StandardCharsets.UTF_8);
    if (written.indexOf('\\') < 0) { // which the platform looks for faster than a loop here
      return written;
    }
    byte[] plain = new byte[to - from];
    int length = 0;
    for (int at = from; at < to; at++) {
      if (line[at] != '\\') {
        plain[length++] = line[at];
        continue;
      }
      at++;
      if (line[at] == 'u') { // only control characters are written so
        plain[length++] =
            (byte) (Character.digit(line[at + 3], 16) << 4 | Character.digit(line[at + 4], 16));
        at += 4;
      } else {
        int control = "bfnrt".indexOf(line[at]);
        plain[length++] = control < 0 ? line[at] : (byte) "\b\f\n\r\t".charAt(control);
      }
    }
    return new String(plain, 0, length, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return new String(line, StandardCharsets.UTF_8);
  }
}
