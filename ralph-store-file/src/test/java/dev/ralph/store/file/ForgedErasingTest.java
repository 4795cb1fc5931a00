package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The file {@code erasing} of an untrusted store: no forged plan is performed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForgedErasingTest {

  private static final String HASH = "0123456789abcdef".repeat(4);
  private static final List<String> CONTENTS =
      List.of("before", "the secret", "behind it", "x".repeat(70_000), "last");

  @TempDir static Path temp;
  private Path original;
  private List<Frame> frames = List.of();
  private Path victim;
  private int runs;

  /** The plan of a process that was killed right before it overwrote the second frame. */
  private String valid = "";

  @BeforeEach
  void makeAStore() throws IOException {
    if (original != null) {
      return;
    }
    original = temp.resolve("original");
    victim = Files.writeString(temp.resolve("victim"), "keep me");
    try (FrameStore store = TestLog.open(original)) {
      frames = new ArrayList<>();
      for (String content : CONTENTS) {
        frames.addAll(TestLog.append(store, TestLog.TOPIC, content));
      }
    }
    Segments segments = new Segments(new StoreFiles(original));
    ErasurePlan erasing = new ErasurePlan(segments.newestHeader(Segments.FIRST).store());
    FileFrame frame = (FileFrame) frames.get(1);
    erasing.add(frame, Segments.FIRST, bodyAt(1), bodyLength(1), letters(1, 1));
    erasing.write(segments);
    valid = Files.readString(segments.erasing());
    Files.delete(segments.erasing());
  }

  private byte[] log(Path store) throws IOException {
    return Files.readAllBytes(TestLog.segment(store));
  }

  private long lineAt(int frame) {
    FileFrame of = (FileFrame) frames.get(frame);
    return (of.position().value() & 0xff_ffff_ffffL) - of.length();
  }

  private long bodyAt(int frame) {
    return lineAt(frame) + ((FileFrame) frames.get(frame)).bodyFrom();
  }

  private int bodyLength(int frame) {
    FileFrame of = (FileFrame) frames.get(frame);
    return of.length() - 1 - LogLine.CRC_LENGTH - of.bodyFrom();
  }

  /** Returns the letters of a valid tombstone that spans from one frame's body to another's end. */
  private byte[] letters(int first, int last) throws IOException {
    int from = (int) lineAt(first);
    int to = (int) lineAt(last) + ((FileFrame) frames.get(last)).length() - 1;
    byte[] lines = Arrays.copyOfRange(log(original), from, to);
    return Tombstone.write(lines, ((FileFrame) frames.get(first)).bodyFrom());
  }

  private String ascii(byte[] letters) {
    return new String(letters, StandardCharsets.US_ASCII);
  }

  // ---- the valid plan

  @Test
  void validPlan_isCompleted() throws IOException {
    Path store = copyWith(valid.getBytes(StandardCharsets.US_ASCII));
    try (FrameStore opened = TestLog.open(store)) {
      TestLog.append(opened, TestLog.TOPIC, "more");
      assertThat(TestLog.contents(opened)).contains("", "more").doesNotContain("the secret");
      assertThat(opened.verify()).isEmpty();
    }
    assertThat(store.resolve("damaged")).doesNotExist();
    assertThat(store.resolve("erasing")).doesNotExist();
  }

  @Test
  void killedDuringOverwrite_isCompleted() throws IOException {
    byte[] tombstone = new byte[bodyLength(1)];
    Tombstone.write(tombstone, 0, tombstone.length, letters(1, 1));
    for (int done = 0; done <= tombstone.length; done++) {
      Path store = copyWith(valid.getBytes(StandardCharsets.US_ASCII));
      byte[] log = log(store);
      System.arraycopy(tombstone, 0, log, (int) bodyAt(1), done);
      Files.write(TestLog.segment(store), log);
      try (FrameStore opened = TestLog.open(store)) {
        TestLog.append(opened, TestLog.TOPIC, "more");
        assertThat(opened.get(frames.get(1).id()).orElseThrow().isErased()).as("%s", done).isTrue();
        assertThat(opened.verify()).as("%s bytes", done).isEmpty();
      }
      TestLog.delete(store);
    }
  }

  // ---- forged plans with valid checksums

  Stream<Arguments> forged() throws IOException {
    makeAStore();
    String frame =
        valid.lines().filter(line -> line.startsWith("frame ")).findFirst().orElseThrow();
    String notice =
        valid.lines().filter(line -> line.startsWith("notice ")).findFirst().orElseThrow();
    String letters = ascii(letters(1, 1));
    long at = bodyAt(1);
    int length = bodyLength(1);
    List<Arguments> all = new ArrayList<>();
    for (String segment :
        List.of("0", "-1", "2", "99999999", "8388608", "2147483648", "4294967297", "x", "", "+1")) {
      replaced(all, "segment " + segment, frame, frame(segment, at, length, letters));
    }
    for (long offset :
        new long[] {
          0,
          1,
          -1,
          at - 1,
          at + 1,
          lineAt(1),
          lineAt(0),
          bodyAt(0),
          bodyAt(2),
          100,
          1L << 40,
          Integer.MAX_VALUE,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          Long.MAX_VALUE - length
        }) {
      replaced(all, "offset " + offset, frame, frame("1", offset, length, letters));
    }
    for (long other :
        new long[] {
          0,
          1,
          -1,
          length - 1,
          length + 1,
          60,
          2_000_000_000,
          Integer.MAX_VALUE,
          1L << 32,
          Long.MAX_VALUE,
          Integer.MIN_VALUE,
          LogLine.LONGEST
        }) {
      replaced(all, "length " + other, frame, frame("1", at, other, letters));
    }
    for (String other :
        List.of("x", "", "@@@@@@@", "\"\"\"\"\"\"\"", letters + "@", "\0\0\0\0\0\0\0")) {
      replaced(all, "letters " + other, frame, frame("1", at, length, other));
    }
    replaced(all, "an intact frame", frame, "frame 1 700 60 x");
    replaced(all, "two gigabytes", frame, "frame 1 100 2000000000 x");
    replaced(all, "no frame", frame + "\n", "");
    replaced(all, "the frame twice", frame, frame + "\n" + frame);
    replaced(all, "one word more", frame, frame + " x");
    String over = frame("1", at, (int) (bodyAt(2) + bodyLength(2) - at), ascii(letters(1, 2)));
    replaced(all, "over two lines", frame, over);
    String other = frame("1", bodyAt(2), bodyLength(2), ascii(letters(2, 2)));
    replaced(all, "a frame that is not named", frame, other);
    replaced(all, "one more that is not named", frame, frame + "\n" + other);
    String topic = "notice " + TestLog.TOPIC + " ";
    for (String notices :
        List.of(
            topic + frames.get(2).id(),
            topic + frames.get(1).id() + " " + frames.get(2).id(),
            topic + frames.get(1).id() + " " + frames.get(1).id(),
            "notice " + TestLog.OTHER + " " + frames.get(1).id(),
            "notice ../.. " + frames.get(1).id(),
            notice + "\n" + notice,
            topic.strip(),
            topic + "x",
            "notice",
            " ")) {
      replaced(all, "notice " + notices, notice, notices);
    }
    for (String address :
        List.of(
            victim.toString(),
            "/home/you/file",
            "../victim",
            "sha256-../../" + HASH.substring(6),
            "sha256-" + HASH.toUpperCase(java.util.Locale.ROOT),
            "sha256-" + HASH + "00",
            "sha256-" + HASH.substring(1) + "\0",
            "",
            "a".repeat(100_000))) {
      replaced(all, "content " + address, notice, "content " + address + "\n" + notice);
    }
    String two = "content sha256-" + HASH + "\ncontent sha256-" + HASH.replace('0', '1') + "\n";
    replaced(all, "more contents than frames", notice, two + notice);
    replaced(
        all,
        "another store",
        valid.substring(10, valid.indexOf('\n')),
        "03h9yb73eqdknwz0gtg1cl6on");
    replaced(all, "another version", "erasing 1 ", "erasing 2 ");
    replaced(all, "an earlier version", valid.substring(0, valid.indexOf('\n') + 1), "");
    return all.stream();
  }

  private static String frame(String segment, long offset, long length, String letters) {
    return "frame " + segment + " " + offset + " " + length + " " + letters;
  }

  private void replaced(List<Arguments> all, String name, String part, String by) {
    String text = valid.substring(0, valid.indexOf("crc ")).replace(part, by);
    String shown = name.length() > 60 ? name.substring(0, 60) : name.replace('\0', '0');
    all.add(arguments(shown, ErasurePlan.checksummed(text)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("forged")
  void forgedPlan_isMovedAside(String name, String text) throws IOException {
    assertNotApplied(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void damagedPlan_isMovedAside() throws IOException {
    byte[] whole = valid.getBytes(StandardCharsets.US_ASCII);
    for (int length = 0; length < whole.length; length++) {
      assertNotApplied(Arrays.copyOf(whole, length));
    }
    for (int at = 0; at < whole.length; at++) {
      byte[] flipped = whole.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      assertNotApplied(flipped);
    }
  }

  @Test
  void planOfEarlierVersion_isMovedAside() throws IOException {
    String earlier =
        valid.lines().filter(line -> line.startsWith("frame")).findFirst().orElseThrow()
            + "\ncontent "
            + victim
            + "\n";
    assertNotApplied(earlier.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void hugePlan_isNotRead() throws IOException {
    Path store = copyWith(new byte[0]);
    try (var file = new java.io.RandomAccessFile(store.resolve("erasing").toFile(), "rw")) {
      file.setLength(3L << 30);
    }
    assertNotApplied(store);
  }

  @Test
  void folderOrLinkAsPlan_isMovedAside() throws IOException {
    Path store = copyWith(new byte[0]);
    Files.delete(store.resolve("erasing"));
    Files.createDirectory(store.resolve("erasing"));
    Files.createFile(store.resolve("erasing/inside"));
    assertNotApplied(store);

    Path elsewhere = Files.writeString(temp.resolve("elsewhere"), valid);
    store = copyWith(new byte[0]);
    Files.delete(store.resolve("erasing"));
    Files.createSymbolicLink(store.resolve("erasing"), elsewhere);
    assertNotApplied(store);
    assertThat(elsewhere).hasContent(valid);
  }

  @Test
  void planOfOtherStore_isMovedAside() throws IOException {
    Path other = temp.resolve("other");
    try (FrameStore store = TestLog.open(other)) {
      for (String content : CONTENTS) {
        TestLog.append(store, TestLog.TOPIC, content);
      }
    }
    Files.writeString(other.resolve("erasing"), valid);
    Files.writeString(other.resolve("erased"), "1\n");
    byte[] before = log(other);
    try (FrameStore store = TestLog.open(other)) {
      TestLog.append(store, TestLog.TOPIC, "more");
      assertThat(TestLog.contents(store)).startsWith(CONTENTS.toArray(String[]::new));
    }
    assertThat(log(other)).startsWith(before);
    assertThat(aside(other)).hasSize(1);
  }

  // ---- checks

  private void assertNotApplied(byte[] erasing) throws IOException {
    Path store = copyWith(erasing);
    assertNotApplied(store);
    assertThat(aside(store))
        .singleElement()
        .satisfies(file -> assertThat(file).hasBinaryContent(erasing));
    TestLog.delete(store);
  }

  private void assertNotApplied(Path store) throws IOException {
    byte[] before = log(store);
    try (FrameStore opened = TestLog.open(store)) {
      assertThat(TestLog.contents(opened)).isEqualTo(CONTENTS);
      assertNamed(opened.verify(), "erasing");
      TestLog.append(opened, TestLog.TOPIC, "more");
      assertThat(store.resolve("erasing")).doesNotExist();
      assertNamed(opened.verify(), "damaged/erasing-");
      opened.erase(List.of(frames.get(0).id())); // a valid erasure still works
      assertThat(TestLog.contents(opened).subList(1, CONTENTS.size()))
          .isEqualTo(CONTENTS.subList(1, CONTENTS.size()));
    }
    byte[] after = log(store);
    assertThat(after.length).isLessThan(before.length + 1_000);
    int second = (int) lineAt(1);
    assertThat(Arrays.copyOfRange(after, second, before.length))
        .isEqualTo(Arrays.copyOfRange(before, second, before.length));
    assertThat(victim).hasContent("keep me");
    assertThat(aside(store)).hasSize(1);
  }

  private static void assertNamed(List<Damage> damage, String file) {
    assertThat(damage)
        .singleElement()
        .satisfies(each -> assertThat(each.file()).startsWith(file))
        .asString()
        .contains("does not fit this log and was not applied");
  }

  private static List<Path> aside(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("damaged"))) {
      return files.toList();
    }
  }

  /** The file {@code erased} makes readers examine the plan too. */
  private Path copyWith(byte[] erasing) throws IOException {
    Path store = temp.resolve("store-" + runs++);
    TestLog.copy(original, store);
    Files.write(store.resolve("erasing"), erasing);
    Files.writeString(store.resolve("erased"), "1\n");
    return store;
  }
}
