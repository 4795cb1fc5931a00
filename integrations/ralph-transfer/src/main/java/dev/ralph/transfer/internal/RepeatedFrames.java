package dev.ralph.transfer.internal;

import dev.ralph.log.Draft;
import dev.ralph.transfer.internal.FrameReader.Entry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Finds frames that occur repeatedly in a file. Nearly all files are sorted by id and have no
 * repeats, so the search takes two readings. The first reading collects ids that are out of order;
 * only these can repeat. The second reading is skipped if there are none.
 */
final class RepeatedFrames {

  private record First(long line, byte[] hash) {}

  private final Set<String> outOfOrder = new HashSet<>();
  private String highest = "";
  private final Map<String, First> firsts = new HashMap<>();
  private final Set<Long> lines = new HashSet<>();

  /** Processes the next frame of the first reading. */
  void collect(Entry entry) {
    String id = id(entry);
    if (id.compareTo(highest) > 0) {
      highest = id;
    } else {
      outOfOrder.add(id);
    }
  }

  /** Returns whether frames may be repeated, so that the file has to be read a second time. */
  boolean arePossible() {
    return !outOfOrder.isEmpty();
  }

  /**
   * Processes the next frame of the second reading and reports a different frame with the same id.
   */
  void compare(Entry entry, ImportReport.Tally tally) {
    String id = id(entry);
    if (!outOfOrder.contains(id)) {
      return;
    }
    byte[] hash = hash(entry.draft());
    First first = firsts.putIfAbsent(id, new First(entry.line(), hash));
    if (first == null) {
      return;
    }
    lines.add(entry.line());
    tally.repeated++;
    tally.frames--;
    if (!MessageDigest.isEqual(first.hash(), hash)) {
      tally.problem(
          entry.line(),
          id,
          ImportReport.Problem.Kind.REPEATED,
          "line "
              + first.line()
              + " has a different frame with this id; remove one of the two lines");
    }
  }

  /** Returns whether the frame repeats an earlier frame, according to the second reading. */
  boolean include(Entry entry) {
    return lines.contains(entry.line());
  }

  /** Releases the memory that only the readings needed. */
  void settle() {
    highest = "";
    outOfOrder.clear();
    firsts.clear();
  }

  private static String id(Entry entry) {
    return String.valueOf(entry.draft().id());
  }

  private static byte[] hash(Draft draft) {
    MessageDigest digest = FormatHashes.sha256();
    for (String part :
        new String[] {
          draft.topic().name(), String.valueOf(draft.time()), draft.meta().json(), draft.content()
        }) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
      digest.update(bytes);
    }
    return digest.digest();
  }
}
