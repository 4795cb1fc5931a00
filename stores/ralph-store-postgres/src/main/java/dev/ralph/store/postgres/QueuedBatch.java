package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A batch that waits to be appended: the parameters of the SQL function, and the result. */
final class QueuedBatch {

  static final int MAX_BATCH_FRAMES = 1000;
  static final int MAX_CONTENT_BYTES = 64 << 20;
  private static final int MAX_BATCH_BYTES = 256 << 20;

  /** The length of an id's suffix, which the client creates; the server creates the prefix. */
  private static final int SUFFIX_DIGITS = 15;

  /** The number of leading digits of a suffix that increase within a batch; the rest is random. */
  private static final int INCREASING_DIGITS = 8;

  /** 36 to the power of 7, the number of values of the random digits. */
  private static final long RANDOM_VALUES = 78_364_164_096L;

  private final long created = System.nanoTime();
  final Batch batch;
  final String scope;

  /** The topics of the batch's condition; empty for a batch without a condition. */
  final TopicRanges bounds;

  /** The position of the batch's condition; null for a batch without a condition. */
  final @Nullable Long since;

  /** The drafts without duplicate ids. */
  final List<Draft> drafts;

  final byte[][] contents;

  /** The ids of the drafts. For a draft without an id, the suffix of its new id. */
  final String[] ids;

  /** True if at least one draft has an id. */
  final boolean isImport;

  /** The approximate size in bytes. */
  final long bytes;

  /** The result; null until the batch is appended. Guarded by the appender's lock. */
  @Nullable Appended answer;

  /** The failure; null unless the append failed. Guarded by the appender's lock. */
  @Nullable RuntimeException failure;

  QueuedBatch(Batch batch) {
    this.batch = batch;
    this.scope = batch.drafts().get(0).topic().scope();
    if (batch.drafts().size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(batch.drafts().size(), MAX_BATCH_FRAMES);
    }
    Batch.Condition condition = batch.condition();
    this.bounds =
        condition == null
            ? new TopicRanges(new String[0], new String[0])
            : TopicRanges.of(condition.filter());
    this.since = condition == null ? null : condition.since().value();
    Map<String, Draft> kept = new LinkedHashMap<>();
    boolean imports = false;
    int newIds = 0;
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      imports |= id != null;
      kept.putIfAbsent(id == null ? "new " + newIds++ : id, draft);
    }
    this.isImport = imports;
    this.drafts = List.copyOf(kept.values());
    this.contents = new byte[drafts.size()][];
    this.ids = new String[drafts.size()];
    long sum = 0;
    Suffixes suffixes = new Suffixes();
    for (int i = 0; i < ids.length; i++) {
      Draft draft = drafts.get(i);
      contents[i] = draft.content().getBytes(StandardCharsets.UTF_8);
      if (contents[i].length > MAX_CONTENT_BYTES) {
        throw RalphException.tooLongContent(contents[i].length, MAX_CONTENT_BYTES);
      }
      sum += contents[i].length + draft.meta().json().length() + 100;
      String id = draft.id();
      ids[i] = id == null ? suffixes.next() : id;
    }
    if (sum > MAX_BATCH_BYTES) {
      throw RalphException.invalid(
          "the batch has about "
              + sum
              + " bytes, more than the limit of "
              + MAX_BATCH_BYTES
              + "; append smaller batches");
    }
    this.bytes = sum;
  }

  /** True if a connection broke after the batch was sent. Used by the appending thread only. */
  boolean isInDoubt;

  boolean isDone() {
    return answer != null || failure != null;
  }

  /** Creates increasing suffixes of ids. */
  private static final class Suffixes {

    private long high = ThreadLocalRandom.current().nextLong(RANDOM_VALUES);

    String next() {
      high++;
      long low = ThreadLocalRandom.current().nextLong(RANDOM_VALUES);
      char[] digits = new char[SUFFIX_DIGITS];
      Arrays.fill(digits, '0');
      put(high, digits, 0, INCREASING_DIGITS);
      put(low, digits, INCREASING_DIGITS, SUFFIX_DIGITS);
      return new String(digits);
    }

    private static void put(long number, char[] digits, int from, int to) {
      long rest = number;
      for (int i = to - 1; i >= from; i--) {
        digits[i] = Character.forDigit((int) (rest % 36), 36);
        rest /= 36;
      }
    }
  }

  /**
   * Sets the result for a batch whose frames the log contains already.
   *
   * @param frames the frames of an earlier append of the batch that no compaction has removed
   */
  void answerKnown(List<Frame> frames, ResultSet row) throws SQLException {
    Position end =
        frames.isEmpty()
            ? Position.of(row.getLong("number") << 10 | 1023)
            : frames.get(frames.size() - 1).position();
    answer = Appended.of(frames, end);
  }

  /** Sets the result from the server's answer, for a batch that the log did not contain before. */
  void answer(ResultSet row, PostgresFrameStore store) throws SQLException {
    switch (row.getString("outcome")) {
      case "c":
        answer = Appended.conflict();
        return;
      case "e":
        answerKnown(List.of(), row);
        return;
      default:
        break;
    }
    long first = row.getLong("number") << 10;
    String prefix = row.getString("prefix");
    long stamp = row.getLong("stamp");
    store.updateClock(stamp, created);
    Array array = row.getArray("held");
    Set<String> held = array == null ? Set.of() : Set.of((String[]) array.getArray());
    List<Frame> frames = new ArrayList<>(drafts.size());
    for (int i = 0; i < ids.length; i++) {
      Draft draft = drafts.get(i);
      if (held.contains(ids[i])) {
        continue;
      }
      frames.add(
          Frame.of(
              draft.id() == null ? prefix + ids[i] : ids[i],
              Position.of(first + i),
              draft.time() == null ? Instant.ofEpochMilli(stamp) : draft.time(),
              draft));
    }
    answer = Appended.of(frames, frames.get(frames.size() - 1).position());
  }
}
