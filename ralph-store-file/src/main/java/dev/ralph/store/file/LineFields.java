package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.internal.segment.TopicTable;
import java.nio.charset.StandardCharsets;

/**
 * Finds the fields of a frame in a line with a correct checksum. A correct checksum does not prove
 * valid fields, because the creator of a store also creates its checksums. So this class checks all
 * fields, and later readers of the same line need no further checks. Not thread-safe.
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
    int end = to - LogLine.CRC_LENGTH;
    return to - from >= LogLine.SHORTEST
        && LogLine.isFrame(line, from)
        && findHead(line, from, end)
        && findBody(line, end);
  }

  private boolean findHead(byte[] line, int from, int end) {
    topic = topics.findQuoted(line, from + LogLine.TOPIC_AT);
    topicEnd = from + LogLine.TOPIC_AT + topic.length();
    if (topic == TopicTable.NONE
        || !LogLine.at(line, topicEnd, LogLine.TIME)
        || !LogLine.at(line, LogLine.batchAt(topicEnd) - LogLine.BATCH.length, LogLine.BATCH)) {
      return false;
    }
    batchEnd = LogLine.indexOf(line, LogLine.batchAt(topicEnd), end, (byte) '"');
    partEnd = batchEnd + 1;
    if (LogLine.at(line, partEnd, LogLine.PART)) {
      partEnd = behindNumber(line, partEnd + LogLine.PART.length, end);
      if (!LogLine.at(line, partEnd, LogLine.OF)) {
        return false;
      }
      partEnd = behindNumber(line, partEnd + LogLine.OF.length, end);
    }
    clockAt = from + LogLine.ID_AT;
    linkAt = partEnd;
    if (LogLine.at(line, partEnd, LogLine.CLOCK)) {
      clockAt = partEnd + LogLine.CLOCK.length;
      linkAt = clockAt + LogLine.ID_LENGTH + 1;
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
    bodyAt = LogLine.at(line, linkAt, LogLine.AFTER) ? linkAt + LogLine.AFTER_LENGTH : linkAt;
    while (bodyAt < end && !isBody(line, bodyAt)) {
      bodyAt = LogLine.indexOf(line, bodyAt + 1, end, (byte) ',');
    }
    if (bodyAt >= end) {
      return false;
    }
    metaEnd = end;
    return !topic.wanted || LogLine.at(line, bodyAt, LogLine.ERASED) || findMeta(line, end);
  }

  private static boolean isBody(byte[] line, int at) {
    return LogLine.at(line, at, LogLine.META) || LogLine.at(line, at, LogLine.ERASED);
  }

  private boolean findMeta(byte[] line, int end) {
    int metaAt = bodyAt + LogLine.META.length;
    metaEnd = line[metaAt] == '{' ? LogLine.endOfObject(line, metaAt, end) : -1;
    if (metaEnd < 0) {
      return false;
    }
    boolean isBeside = LogLine.at(line, metaEnd, LogLine.CONTENT_REF);
    if (!isBeside && !LogLine.at(line, metaEnd, LogLine.CONTENT)) {
      return true;
    }
    int from = metaEnd + (isBeside ? LogLine.CONTENT_REF : LogLine.CONTENT).length;
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

  /** Returns the number of the frame within a batch of several frames. */
  int part(byte[] line) {
    return LogLine.number(line, partAt());
  }

  /** Returns the number of frames of a batch of several frames. */
  int parts(byte[] line) {
    int partEnd = LogLine.indexOf(line, partAt(), (byte) ',');
    return LogLine.number(line, partEnd + LogLine.OF.length);
  }

  private int partAt() {
    return batchEnd + 1 + LogLine.PART.length;
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
