package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.internal.segment.TopicTable;
import java.nio.charset.StandardCharsets;

/**
 * Finds the fields of a frame in a line with a correct checksum. A correct checksum does not prove
 * valid fields, because the creator of a store also creates its checksums. So this class checks all
 * fields, and later readers of the same line need no further checks. For use by one thread.
 */
final class LineFields {

  /** The most digits of a frame's number within its batch. */
  private static final int MOST_DIGITS = 6;

  private final TopicTable topics;

  private TopicTable.Entry topic = TopicTable.NONE;
  private int topicEnd;
  private int batchEnd;
  private int partEnd;
  private int clockAt;
  private int linkAt;
  private int bodyAt;
  private int metaEnd;

  LineFields(TopicFilter wanted) {
    this.topics = new TopicTable(wanted);
  }

  TopicFilter filter() {
    return topics.filter();
  }

  /**
   * Finds the fields of a line.
   *
   * @param line contains an intact line
   * @param from the start of the line
   * @param to the end of the line, without the line break
   * @return false if the line does not contain a valid frame
   */
  boolean find(byte[] line, int from, int to) {
    int end = to - Line.CRC_LENGTH;
    return to - from >= Line.SHORTEST
        && Line.isFrame(line, from)
        && findHead(line, from, end)
        && findBody(line, end);
  }

  private boolean findHead(byte[] line, int from, int end) {
    topic = topics.findQuoted(line, from + Line.TOPIC_AT);
    topicEnd = from + Line.TOPIC_AT + topic.length();
    if (topic == TopicTable.NONE
        || !Line.at(line, topicEnd, Line.TIME)
        || !Line.at(line, Line.batchAt(topicEnd) - Line.BATCH.length, Line.BATCH)) {
      return false;
    }
    batchEnd = Line.indexOf(line, Line.batchAt(topicEnd), end, (byte) '"');
    partEnd = batchEnd + 1;
    if (Line.at(line, partEnd, Line.PART)) {
      partEnd = behindNumber(line, partEnd + Line.PART.length, end);
      if (!Line.at(line, partEnd, Line.OF)) {
        return false;
      }
      partEnd = behindNumber(line, partEnd + Line.OF.length, end);
    }
    clockAt = from + Line.ID_AT;
    linkAt = partEnd;
    if (Line.at(line, partEnd, Line.CLOCK)) {
      clockAt = partEnd + Line.CLOCK.length;
      linkAt = clockAt + Line.ID_LENGTH + 1;
    }
    return linkAt < end;
  }

  /** Returns the end of a number; the end of the line if there is no valid number. */
  private static int behindNumber(byte[] line, int from, int end) {
    int at = from;
    while (at < end && line[at] >= '0' && line[at] <= '9') {
      at++;
    }
    return at > from && at - from <= MOST_DIGITS ? at : end;
  }

  /** Finds the part that erasing overwrites. Fields of later versions may precede it. */
  private boolean findBody(byte[] line, int end) {
    bodyAt = Line.at(line, linkAt, Line.AFTER) ? linkAt + Line.AFTER_LENGTH : linkAt;
    while (bodyAt < end && !isBody(line, bodyAt)) {
      bodyAt = Line.indexOf(line, bodyAt + 1, end, (byte) ',');
    }
    if (bodyAt >= end) {
      return false;
    }
    metaEnd = end;
    return !topic.wanted || Line.at(line, bodyAt, Line.ERASED) || findMeta(line, end);
  }

  private static boolean isBody(byte[] line, int at) {
    return Line.at(line, at, Line.META) || Line.at(line, at, Line.ERASED);
  }

  private boolean findMeta(byte[] line, int end) {
    int metaAt = bodyAt + Line.META.length;
    metaEnd = line[metaAt] == '{' ? Line.endOfObject(line, metaAt, end) : -1;
    if (metaEnd < 0) {
      return false;
    }
    boolean isBeside = Line.at(line, metaEnd, Line.CONTENT_REF);
    if (!isBeside && !Line.at(line, metaEnd, Line.CONTENT)) {
      return true;
    }
    int from = metaEnd + (isBeside ? Line.CONTENT_REF : Line.CONTENT).length;
    int to = end - 1;
    return from <= to
        && line[to] == '"'
        && (!isBeside
            || HashedContentStore.isAddress(
                new String(line, from, to - from, StandardCharsets.US_ASCII)));
  }

  // ---- fields of the last line

  /** Returns the topic, and whether the filter selects it. */
  TopicTable.Entry topic() {
    return topic;
  }

  /** Returns the end of the topic's name. */
  int topicEnd() {
    return topicEnd;
  }

  /** Returns the offset of the closing quote of the batch id. */
  int batchEnd() {
    return batchEnd;
  }

  /** Returns true if the batch has several frames. */
  boolean isPart() {
    return partEnd > batchEnd + 1;
  }

  /** Returns the offset of the last generated id. */
  int clockAt() {
    return clockAt;
  }

  /** Returns the offset of the {@code after} field, if the line has one. */
  int linkAt() {
    return linkAt;
  }

  /** Returns the start of the part that erasing overwrites, which ends at the checksum. */
  int bodyAt() {
    return bodyAt;
  }

  /** Returns the end of the meta, if the topic is selected and the frame is not erased. */
  int metaEnd() {
    return metaEnd;
  }
}
