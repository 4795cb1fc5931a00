package dev.ralph.store.file;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.internal.segment.SegmentFile;
import dev.ralph.store.support.internal.segment.TopicTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A plan to erase frames, stored in the file {@code erasing}. The file is written before the first
 * change and removed after the last. The next process that acquires the store's lock completes the
 * plan. A reader applies the plan to lines that are partly erased.
 *
 * <pre>{@code
 * erasing 1 <store id>
 * frame <segment> <offset of the body> <length of the body> <letters>
 * content <address>
 * notice <topic> <id> <id>...
 * crc <8>
 * }</pre>
 *
 * <p>The file is untrusted, because it may have come with the store. The plan is performed only if
 * each body {@linkplain #fits belongs} to a frame named in the plan.
 */
final class ErasurePlan {

  /** The beginning of the name of a rejected plan in {@code damaged}. */
  static final String ASIDE = "erasing-";

  static final String DOES_NOT_FIT = "does not fit this log and was not applied";

  private static final String BEGIN = "erasing 1 ";
  private static final String FRAME = "frame";
  private static final String CONTENT = "content";
  private static final String NOTICE = "notice";
  private static final String CHECKSUM = "crc ";

  /** The largest plan to read, in bytes. A thousand frames take about 200 KiB. */
  private static final int LARGEST = 256 * 1024 * 1024;

  /** The largest plan to complete when a store is opened, in bytes: about 80,000 frames. */
  private static final int SMALL = 16 * 1024 * 1024;

  /** The maximum length of a line before its body. */
  private static final int LONGEST_HEAD = 1024;

  private final String storeId;
  private final List<Body> bodies = new ArrayList<>();
  private final Set<String> addresses = new TreeSet<>();
  private final Map<Topic, List<String>> ids = new TreeMap<>();

  /** The meta and content of a frame in a segment, and the letters of its tombstone. */
  private record Body(int segment, long offset, int length, byte[] letters) {}

  ErasurePlan(String storeId) {
    this.storeId = storeId;
  }

  /**
   * Returns true if there is a valid plan for this log that is small enough to complete at once.
   */
  static boolean isCompletable(Segments segments, String storeId) throws IOException {
    Path file = segments.erasing();
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > SMALL) {
      return false;
    }
    ErasurePlan plan = read(segments);
    return plan != null && plan.fits(segments, storeId);
  }

  /**
   * Returns the current plan, or null if none exists or the file is invalid. Does not check whether
   * the plan fits the log.
   */
  static @Nullable ErasurePlan read(Segments segments) {
    Path file = segments.erasing();
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    try {
      byte[] bytes = segments.files().read(file, LARGEST);
      return bytes == null ? null : parse(new String(bytes, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      if (Files.notExists(file)) {
        return null; // the erasure was completed
      }
      throw PrivateFiles.failure("cannot read " + file, e);
    }
  }

  private static @Nullable ErasurePlan parse(String text) {
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0 || !text.equals(checksummed(text.substring(0, end))) || !text.startsWith(BEGIN)) {
      return null;
    }
    String[] lines = text.substring(0, end).split("\n");
    ErasurePlan plan = new ErasurePlan(lines[0].substring(BEGIN.length()));
    for (int i = 1; i < lines.length; i++) {
      if (!plan.take(lines[i].split(" "))) {
        return null;
      }
    }
    return plan;
  }

  private boolean take(String[] words) {
    String kind = words.length == 0 ? "" : words[0];
    if (kind.equals(FRAME) && words.length == 5) {
      long segment = number(words[1]);
      long offset = number(words[2]);
      long length = number(words[3]);
      byte[] letters = LogLine.ascii(words[4]);
      boolean makesSense =
          segment >= Segments.FIRST
              && segment <= Segments.LAST
              && offset > 0
              && length >= Tombstone.SHORTEST
              && length <= LogLine.LONGEST
              && Tombstone.areLetters(letters);
      return makesSense && bodies.add(new Body((int) segment, offset, (int) length, letters));
    }
    if (kind.equals(CONTENT) && words.length == 2) {
      return HashedContentStore.isAddress(words[1]) && addresses.add(words[1]);
    }
    return kind.equals(NOTICE)
        && words.length > 2
        && ids.put(topic(words[1]), List.of(words).subList(2, words.length)) == null;
  }

  /** Returns the topic of a name, or a topic without frames if the name is invalid. */
  private static Topic topic(String name) {
    try {
      return Topic.of(name);
    } catch (RalphException noName) {
      return TopicTable.NONE.topic;
    }
  }

  /** Returns the number, or -1 if the text is not a number of at most 15 digits. */
  private static long number(String text) {
    if (text.isEmpty() || text.length() > 15) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** Adds a frame and the letters of its tombstone. */
  void add(FileFrame frame, int segment, long bodyOffset, int length, byte[] letters) {
    bodies.add(new Body(segment, bodyOffset, length, letters));
    String address = frame.contentAddress();
    if (address != null) {
      addresses.add(address);
    }
    ids.computeIfAbsent(frame.topic(), none -> new ArrayList<>()).add(frame.id());
  }

  int count() {
    return bodies.size();
  }

  /** Returns the content addresses of the frames. Other frames may have the same addresses. */
  Set<String> addresses() {
    return addresses;
  }

  /** Returns the ids of the frames by topic. */
  Map<Topic, List<String>> ids() {
    return ids;
  }

  /** Writes the plan durably. */
  void write(Segments segments) {
    StringBuilder text = new StringBuilder(BEGIN).append(storeId).append('\n');
    for (Body body : bodies) {
      text.append(FRAME).append(' ').append(body.segment).append(' ').append(body.offset);
      text.append(' ').append(body.length).append(' ');
      text.append(new String(body.letters, StandardCharsets.US_ASCII)).append('\n');
    }
    for (String address : addresses) {
      text.append(CONTENT).append(' ').append(address).append('\n');
    }
    ids.forEach(
        (topic, each) ->
            text.append(NOTICE)
                .append(' ')
                .append(topic)
                .append(' ')
                .append(String.join(" ", each))
                .append('\n'));
    byte[] bytes = checksummed(text.toString()).getBytes(StandardCharsets.ISO_8859_1);
    segments.files().writeAtomically(segments.erasing(), bytes, true);
  }

  /** Returns the text followed by its checksum. */
  static String checksummed(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
    return text + CHECKSUM + String.format("%08x", crc.getValue()) + "\n";
  }

  // ---- validation

  /**
   * Returns true if the plan belongs to the store, and each body belongs to a different frame named
   * in the plan. A body belongs to a frame if its line is intact with the tombstone, whether the
   * tombstone is already written, partly written or not written.
   */
  boolean fits(Segments segments, String ofStore) throws IOException {
    if (!storeId.equals(ofStore) || bodies.isEmpty()) {
      return false;
    }
    Map<Topic, Set<String>> named = new TreeMap<>();
    int count = 0;
    for (Map.Entry<Topic, List<String>> each : ids.entrySet()) {
      named.put(each.getKey(), new TreeSet<>(each.getValue()));
      count += each.getValue().size();
    }
    LineFields fields = new LineFields(TopicFilter.all());
    try (SegmentBytes in = new SegmentBytes(segments)) {
      for (Body body : bodies) {
        if (!belongsToNamed(body, in, fields, named)) {
          return false;
        }
      }
    }
    return count == bodies.size() && addresses.size() <= count;
  }

  /** Returns true if a body belongs to a named frame, and removes that frame from the map. */
  private static boolean belongsToNamed(
      Body body, SegmentBytes in, LineFields fields, Map<Topic, Set<String>> named)
      throws IOException {
    int head = (int) Math.min(LONGEST_HEAD, body.offset);
    byte[] bytes = new byte[head + body.length + LogLine.CRC_LENGTH];
    if (!in.has(body.segment, body.offset - head + bytes.length)) {
      return false;
    }
    in.read(body.segment, body.offset - head, bytes);
    int from = head;
    while (from > 0 && bytes[from - 1] != '\n') {
      from--;
    }
    if (LogLine.indexOf(bytes, head, bytes.length, (byte) '\n') < bytes.length) {
      return false; // spans several lines
    }
    Tombstone.write(bytes, head, head + body.length, body.letters);
    if (!LogLine.isIntact(bytes, from, bytes.length, new CRC32C())
        || !fields.find(bytes, from, bytes.length)
        || fields.bodyAt() != head) {
      return false;
    }
    Set<String> ofTopic = named.get(fields.topic().topic);
    return ofTopic != null && ofTopic.remove(LogLine.id(bytes, from + LogLine.ID_AT));
  }

  // ---- execution

  /** Makes the segments of all frames uncompressed, so that they can be overwritten. */
  void unpack(Segments segments) throws IOException {
    int number = 0;
    for (Body body : bodies) {
      if (body.segment != number) {
        number = body.segment;
        segments.unpack(number);
      }
    }
  }

  /** Writes all tombstones durably. May be repeated. */
  void overwrite(Segments segments) throws IOException {
    unpack(segments);
    int number = 0;
    SegmentFile file = null;
    try {
      for (Body body : bodies) {
        if (body.segment != number || file == null) {
          finish(file);
          number = body.segment;
          file = new SegmentFile(segments.files(), segments.file(number));
        }
        byte[] tombstone = new byte[body.length];
        Tombstone.write(tombstone, 0, body.length, body.letters);
        file.write(body.offset, tombstone, body.length);
      }
      finish(file);
      file = null;
    } finally {
      if (file != null) {
        file.close();
      }
    }
  }

  private static void finish(@Nullable SegmentFile file) throws IOException {
    if (file != null) {
      file.sync();
      file.close();
    }
  }

  /**
   * Writes a tombstone into a buffered line if the plan contains the line.
   *
   * @param offset the start of the line in the segment
   * @param from the start of the line in the buffer
   * @param to the end of the line in the buffer, without the line break
   * @return whether the plan contains the line
   */
  boolean putInto(int segment, long offset, byte[] buffer, int from, int to) {
    int end = to - LogLine.CRC_LENGTH;
    for (Body body : bodies) {
      long at = body.offset - offset + from;
      if (body.segment == segment && at > from && at + body.length == end) {
        Tombstone.write(buffer, (int) at, end, body.letters);
        return true;
      }
    }
    return false;
  }

  /** Removes the plan after its completion. */
  static void done(Segments segments) throws IOException {
    segments.files().deleteIfExists(segments.erasing());
    segments.files().syncFolder(segments.files().root());
  }
}
