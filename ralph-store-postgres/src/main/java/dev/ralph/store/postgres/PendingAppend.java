package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.spi.PlainFrame;
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

/** A batch as the server takes it, and what became of it. */
final class PendingAppend {

  static final int MAX_BATCH_FRAMES = 1000;
  static final int MAX_CONTENT_BYTES = 64 << 20;
  private static final int MAX_BATCH_BYTES = 256 << 20;

  /** How many digits of an id the server leaves to us: some that rise, and some by chance. */
  private static final int DIGITS = 15;

  private static final int RISING = 8;

  /** 36 to the power of 7. */
  private static final long STEP = 78_364_164_096L;

  private final long asked = System.nanoTime();
  final Batch batch;
  final String scope;
  final Ranges bounds;

  /** The position that the condition names, or null without one. */
  final @Nullable Long since;

  final List<Draft> drafts;
  final byte[][] contents;
  final String[] ids;
  final boolean isImport;

  /** How many bytes it has, about. */
  final long bytes;

  /** What was answered; null until then. Guarded by the lock of those who append. */
  @Nullable Appended answer;

  @Nullable RuntimeException failure;

  PendingAppend(Batch batch) {
    this.batch = batch;
    this.scope = batch.drafts().get(0).topic().scope();
    if (batch.drafts().size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(batch.drafts().size(), MAX_BATCH_FRAMES);
    }
    Batch.Condition condition = batch.condition();
    this.bounds =
        condition == null
            ? new Ranges(new String[0], new String[0])
            : Ranges.of(condition.filter());
    this.since = condition == null ? null : condition.since().value();
    Map<String, Draft> kept = new LinkedHashMap<>();
    boolean imports = false;
    int minted = 0;
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      imports |= id != null;
      kept.putIfAbsent(id == null ? "new " + minted++ : id, draft);
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
          "a batch may have " + MAX_BATCH_BYTES + " bytes at most; append it in parts");
    }
    this.bytes = sum;
  }

  /** Set once it was sent and the connection was cut. By who appends it only. */
  boolean isInDoubt;

  boolean isDone() {
    return answer != null || failure != null;
  }

  /** Rising endings of ids. */
  private static final class Suffixes {

    private long high = ThreadLocalRandom.current().nextLong(STEP);

    String next() {
      high++;
      long low = ThreadLocalRandom.current().nextLong(STEP);
      char[] digits = new char[DIGITS];
      Arrays.fill(digits, '0');
      put(high, digits, 0, RISING);
      put(low, digits, RISING, DIGITS);
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

  /** Takes the server's answer, for a batch that it did not know before. */
  void answer(ResultSet row, PostgresFrameStore store) throws SQLException {
    switch (row.getString("outcome")) {
      case "c":
        answer = Appended.conflict();
        return;
      case "e":
        answer = Appended.of(List.of(), Position.of(row.getLong("number") << 10 | 1023));
        return;
      default:
        break;
    }
    long first = row.getLong("number") << 10;
    String prefix = row.getString("prefix");
    long stamp = row.getLong("stamp");
    store.heardTime(stamp, asked);
    Array array = row.getArray("held");
    Set<String> held = array == null ? Set.of() : Set.of((String[]) array.getArray());
    List<Frame> frames = new ArrayList<>(drafts.size());
    for (int i = 0; i < ids.length; i++) {
      Draft draft = drafts.get(i);
      if (held.contains(ids[i])) {
        continue;
      }
      frames.add(
          PlainFrame.of(
              draft.id() == null ? prefix + ids[i] : ids[i],
              Position.of(first + i),
              draft.time() == null ? Instant.ofEpochMilli(stamp) : draft.time(),
              draft));
    }
    answer = Appended.of(frames, frames.get(frames.size() - 1).position());
  }
}
