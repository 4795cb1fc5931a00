package dev.ralph.transfer;

import dev.ralph.log.Draft;
import dev.ralph.transfer.FrameReader.Entry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The frames that stand in a file more than once. Almost every file is sorted by id and has none,
 * so that is found out in two readings. Most files need the first only: it remembers the ids that
 * are out of order, and only what has one of those can come twice.
 */
final class Repeats {

  private record First(long line, byte[] hash) {}

  private final Set<String> outOfOrder = new HashSet<>();
  private String highest = "";
  private final Map<String, First> firsts = new HashMap<>();
  private final Set<Long> lines = new HashSet<>();

  /** Looks at the next frame, in a first reading of the file. */
  void look(Entry entry) {
    String id = id(entry);
    if (id.compareTo(highest) > 0) {
      highest = id;
    } else {
      outOfOrder.add(id);
    }
  }

  /** Returns whether the file has to be read a second time. */
  boolean arePossible() {
    return !outOfOrder.isEmpty();
  }

  /**
   * Looks at the next frame, in a second reading, and notes whether there is one like it before.
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
          "another frame in line " + first.line() + " has this id; only one of them can be kept");
    }
  }

  /** Returns whether the file has that frame before, as a second reading found. */
  boolean include(Entry entry) {
    return lines.contains(entry.line());
  }

  /** Forgets what only the readings needed. */
  void settle() {
    highest = "";
    outOfOrder.clear();
    firsts.clear();
  }

  private static String id(Entry entry) {
    return String.valueOf(entry.draft().id());
  }

  private static byte[] hash(Draft draft) {
    MessageDigest digest = Hashes.sha256();
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
