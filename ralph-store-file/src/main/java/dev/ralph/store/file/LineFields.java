package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.internal.segment.TopicTable;
import java.nio.charset.StandardCharsets;

/**
 * Where the fields of a frame stand in a line whose checksum is right. That is no proof that they
 * are there: who makes a store makes its checksums. So nothing is taken for granted here, and what
 * reads a line that was looked at here need not look again. For one thread.
 */
final class LineFields {

  /** No batch has as many frames as a number of more digits would say. */
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
   * @param line holds an intact one
   * @param from where it begins
   * @param to where it ends, without the line break
   * @return false if the line is none of a frame
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

  /** Returns where a number ends; the line's end if no number of a batch stands there. */
  private static int behindNumber(byte[] line, int from, int end) {
    int at = from;
    while (at < end && line[at] >= '0' && line[at] <= '9') {
      at++;
    }
    return at > from && at - from <= MOST_DIGITS ? at : end;
  }

  /** Finds what is gone once the frame is erased; between it and the rest may be later fields. */
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

  // ---- of the line that was looked at last

  /** Returns its topic, and whether that is wanted. */
  TopicTable.Entry topic() {
    return topic;
  }

  /** Returns where the topic's name ends. */
  int topicEnd() {
    return topicEnd;
  }

  /** Returns where the quote stands that closes the batch's id. */
  int batchEnd() {
    return batchEnd;
  }

  /** Returns whether it is one of several frames of a batch. */
  boolean isPart() {
    return partEnd > batchEnd + 1;
  }

  /** Returns where the id stands that was last minted. */
  int clockAt() {
    return clockAt;
  }

  /** Returns where the checksum of the line before is named, if it is. */
  int linkAt() {
    return linkAt;
  }

  /** Returns where that begins which is gone once the frame is erased: it ends at the checksum. */
  int bodyAt() {
    return bodyAt;
  }

  /** Returns where the meta data end, if the topic is wanted and the frame is not erased. */
  int metaEnd() {
    return metaEnd;
  }
}
