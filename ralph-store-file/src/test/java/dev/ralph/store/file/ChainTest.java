package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Logs whose lines an editor or a merge deleted, repeated or moved. The reader reports the change
 * and returns each remaining frame once.
 */
class ChainTest {

  private static final String MISSING = "missing before this line";
  private static final String OUT_OF_ORDER = "follows a later line";
  private static final String REPEATED = "repeated";
  private static final String INCOMPLETE = "a batch is incomplete";

  // The first segment's lines are h a b p q r c d, where p q r are one batch; the second's H x y.
  private static final String FIRST = "h a b p q r c d";
  private static final String SECOND = "H x y";
  private static final String ALL = "a b p q r c d x y";

  @TempDir Path temp;
  private Path directory;
  private final List<String> names = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void writeLog() throws IOException {
    directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory)) {
      for (String batch : List.of("a", "b", "p q r", "c", "d")) {
        TestLog.append(store, TestLog.TOPIC, batch.split(" "));
      }
      List<String> first = Files.readAllLines(TestLog.segment(directory));
      name(FIRST, first);
      new Segments(new StoreFiles(directory))
          .create(
              2,
              SegmentHeader.PLAIN,
              store.info().storeId(),
              0,
              checksum(first.get(first.size() - 1)));
    }
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "x");
      TestLog.append(store, TestLog.TOPIC, "y");
      name(SECOND, Files.readAllLines(TestLog.segment(directory, 2)));
    }
    try (FrameStore stranger = TestLog.open(temp.resolve("stranger"))) {
      TestLog.append(stranger, TestLog.TOPIC, "before");
      TestLog.append(stranger, TestLog.TOPIC, "s");
      TestLog.append(stranger, TestLog.TOPIC, "t");
      name("S _ s t", Files.readAllLines(TestLog.segment(temp.resolve("stranger"))));
    }
    forgetHowFarTheLogReached();
  }

  /** Removes the witness, which would detect some edits as well. */
  private void forgetHowFarTheLogReached() throws IOException {
    Files.delete(directory.resolve(".git/witness"));
  }

  static Stream<Arguments> edits() {
    return Stream.of(
        arguments("nothing", FIRST, SECOND, ALL, ""),
        arguments("delete the header", "a b p q r c d", SECOND, ALL, "the header is missing"),
        arguments("delete the first", "h b p q r c d", SECOND, "b p q r c d x y", MISSING),
        arguments("delete one", "h a p q r c d", SECOND, "a p q r c d x y", MISSING),
        arguments("delete two", "h a b p q r d", "H y", "a b p q r d y", MISSING + "," + MISSING),
        arguments("delete a batch's first", "h a b q r c d", SECOND, "a b c d x y", INCOMPLETE),
        arguments("delete a batch's middle", "h a b p r c d", SECOND, "a b c d x y", INCOMPLETE),
        arguments("delete a batch's last", "h a b p q c d", SECOND, "a b c d x y", INCOMPLETE),
        arguments("delete a batch", "h a b c d", SECOND, "a b c d x y", MISSING),
        arguments(
            "delete a segment's last",
            "h a b p q r c",
            SECOND,
            "a b p q r c x y",
            "at the end of the preceding segment"),
        arguments("delete a header behind", FIRST, "x y", ALL, "the header is missing"),
        // no later line confirms the last line of the log
        arguments("delete the log's last", FIRST, "H x", "a b p q r c d x", ""),
        arguments(
            "swap", "h b a p q r c d", SECOND, "b a p q r c d x y", MISSING + "," + OUT_OF_ORDER),
        arguments(
            "swap the last", FIRST, "H y x", "a b p q r c d y x", MISSING + "," + OUT_OF_ORDER),
        arguments("swap in a batch", "h a b p r q c d", SECOND, "a b c d x y", INCOMPLETE),
        arguments("swap the headers", "H x y", FIRST, "x y a b p q r c d", "segment 2,segment 1"),
        arguments("double the header", "h h a b p q r c d", SECOND, ALL, "damaged"),
        arguments("double the first", "h a a b p q r c d", SECOND, ALL, REPEATED),
        arguments("double one", "h a b p q r c c d", SECOND, ALL, REPEATED),
        arguments("double one thrice", "h a b b b b p q r c d", SECOND, ALL, REPEATED),
        arguments("double the last", FIRST, "H x y y", ALL, REPEATED),
        arguments("double a batch's first", "h a b p p q r c d", SECOND, ALL, REPEATED),
        arguments("double a batch's middle", "h a b p q q r c d", SECOND, ALL, REPEATED),
        arguments("double a batch's last", "h a b p q r r c d", SECOND, ALL, REPEATED),
        arguments("double a batch", "h a b p q r p q r c d", SECOND, ALL, REPEATED),
        arguments("repeat a block", "h a b p q r c a b p q r d", SECOND, ALL, REPEATED),
        arguments("repeat a block at the end", FIRST, "H x y a b p q r", ALL, REPEATED),
        arguments("repeat two blocks", "h a b p q r c p q r a b d", SECOND, ALL, REPEATED),
        arguments("repeat in the next segment", FIRST, "H c d x y", ALL, REPEATED),
        arguments("copy forward", "h c a b p q r c d", SECOND, ALL, REPEATED),
        arguments("copy a block forward", "h c d a b p q r c d", SECOND, ALL, REPEATED),
        arguments("copy a batch forward", "h p q r a b p q r c d", SECOND, ALL, REPEATED),
        arguments("copy a batch's middle forward", "h q a b p q r c d", SECOND, ALL, REPEATED),
        arguments("copy the last to the front", "h y a b p q r c d", SECOND, ALL, REPEATED),
        arguments("copy from the next segment", "h a x y b p q r c d", SECOND, ALL, REPEATED),
        arguments(
            "copy forward and back",
            "h d a b p q r a c d",
            "H x b y",
            ALL,
            REPEATED + "," + REPEATED + "," + REPEATED),
        arguments("copy behind the header", FIRST, "H a b x y", ALL, REPEATED),
        arguments(
            "copy a line that lost its place",
            "h a p q r c d",
            "H x c y",
            "a p q r c d x y",
            MISSING + "," + REPEATED),
        arguments(
            "copy a segment over another", FIRST, FIRST, "a b p q r c d", "segment 1," + REPEATED),
        arguments("insert", "h a s b p q r c d", SECOND, "a s b p q r c d x y", MISSING + ",later"),
        arguments(
            "insert two",
            "h a s t b p q r c d",
            SECOND,
            "a s t b p q r c d x y",
            MISSING + ",later"),
        arguments(
            "insert into a batch",
            "h a b p q s r c d",
            SECOND,
            "a b s c d x y",
            INCOMPLETE + "," + INCOMPLETE),
        arguments("insert at the end", FIRST, "H x y s t", ALL + " s t", MISSING),
        arguments(
            "move forward", "h a p q r c b d", SECOND, "a p q r c b d x y", MISSING + ",later"),
        arguments(
            "move back",
            "h a d b p q r c",
            SECOND,
            "a d b p q r c x y",
            MISSING + ",later,preceding"),
        arguments(
            "move to the next segment",
            "h a b p q r d",
            "H x c y",
            "a b p q r d x c y",
            MISSING + ",later"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("edits")
  void editedLog_isReported_restIsRead(
      String edit, String first, String second, String read, String told) throws IOException {
    write(TestLog.segment(directory), first);
    write(TestLog.segment(directory, 2), second);
    try (FrameStore store = TestLog.open(directory)) {
      assertReads(store, read, told);
      assertThat(follow(store)).as("frames of a follower").isEqualTo(read);
      assertThat(List.of(backward(store).split(" ")))
          .as("frames read backward")
          .containsExactlyInAnyOrder(read.split(" "));
      TestLog.append(store, TestLog.TOPIC, "after");
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertReads(store, read + " after", told);
    }
  }

  @Test
  void copiedSegment_isReadOnce() throws IOException {
    Files.copy(TestLog.segment(directory), TestLog.segment(directory, 3));
    Files.copy(TestLog.segment(directory, 2), TestLog.segment(directory, 4));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).isEqualTo(List.of(ALL.split(" ")));
      assertThat(backward(store)).isEqualTo("y x d c r q p b a");
      assertThat(store.verify()).extracting(Damage::description).contains("lines are repeated");
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(String.join(" ", TestLog.contents(store))).isEqualTo(ALL + " after");
    }
  }

  @Test
  void copyAfterDamagedLine_isIgnored() throws IOException {
    write(TestLog.segment(directory), "h a b p q r c d a b");
    List<String> edited = Files.readAllLines(TestLog.segment(directory));
    edited.set(7, edited.get(7).replace("\"d\"", "\"D\""));
    Files.write(TestLog.segment(directory), edited);
    try (FrameStore store = TestLog.open(directory)) {
      assertReads(store, "a b p q r c x y", "damaged," + REPEATED + ",at the end");
    }
  }

  @Test
  void copiedLineOfEarlierVersion_isReadOnce() throws IOException {
    for (String edit :
        List.of(
            "h a b p q r c d a",
            "h a b p q r c d b p q r",
            "h d a b p q r c d",
            "h a c b p q r c d",
            "h p q r a b p q r c d",
            "h a b a b p q r a b c d")) {
      String[] edited = edit.split(" ");
      for (int i = 1; i < edited.length; i++) {
        edited[i] = withoutLink(edited[i]);
      }
      edited[0] = lines("h");
      Files.write(TestLog.segment(directory), List.of(edited));
      Files.writeString(TestLog.segment(directory, 2), lines("H") + "\n" + withoutLink("a") + "\n");
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(TestLog.contents(store))
            .as(edit)
            .containsExactlyInAnyOrder("a", "b", "p", "q", "r", "c", "d");
      }
    }
  }

  /** A reader of another topic skips blocks, and may start in the middle of copied lines. */
  @Test
  void readerWithinCopies_readsNone() throws IOException {
    Path large = temp.resolve("large");
    try (FrameStore store = TestLog.open(large)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      TestLog.append(store, TestLog.OTHER, "two");
      for (int i = 0; i < 60; i++) {
        TestLog.append(store, TestLog.TOPIC, "filling " + "x".repeat(50_000));
      }
    }
    List<String> log = Files.readAllLines(TestLog.segment(large));
    log.addAll(40, log.subList(1, 3));
    Files.write(TestLog.segment(large), log);
    Files.delete(large.resolve(".git/witness"));
    TestLog.delete(large.resolve("derived"));
    try (FrameStore store = TestLog.open(large)) {
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.OTHER))))
          .containsExactly("two");
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.OTHER)).backward()))
          .containsExactly("two");
      assertThat(TestLog.contents(store)).hasSize(62);
    }
  }

  private static String backward(FrameStore store) {
    return String.join(" ", TestLog.contents(store, Query.of(TopicFilter.all()).backward()));
  }

  @Test
  void repeatedBlock_isFollowedOnce() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(drain(follower)).isEqualTo(ALL);
      String pasted = lines("b p q r c") + "\n";
      Files.writeString(TestLog.segment(directory, 2), pasted, StandardOpenOption.APPEND);
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(drain(follower)).isEqualTo("after");
      assertThat(follower.damage()).singleElement().asString().contains(REPEATED);
    }
  }

  @Test
  void lineWithoutLink_isValid() throws IOException {
    String older = withoutLink("s");
    Files.writeString(TestLog.segment(directory, 2), older + "\n", StandardOpenOption.APPEND);
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertReads(store, ALL + " s after", "");
    }
    List<String> now = Files.readAllLines(TestLog.segment(directory, 2));
    now.remove(older);
    Files.write(TestLog.segment(directory, 2), now);
    forgetHowFarTheLogReached();
    try (FrameStore store = TestLog.open(directory)) {
      assertReads(store, ALL + " after", MISSING);
    }
  }

  @Test
  void damagedLine_keepsNextLineValid() throws IOException {
    List<String> damaged = new ArrayList<>(Arrays.asList(lines(FIRST).split("\n")));
    damaged.set(2, damaged.get(2).replace("\"b\"", "\"B\""));
    Files.write(TestLog.segment(directory), damaged);
    try (FrameStore store = TestLog.open(directory)) {
      assertReads(store, "a p q r c d x y", "damaged");
    }
  }

  @Test
  void readerAfterGap_reportsGap() throws IOException {
    List<Frame> frames = new ArrayList<>();
    try (FrameStore store = TestLog.open(directory);
        FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames.add(frame);
      }
    }
    write(TestLog.segment(directory), "h a b p q r d"); // d begins at the old offset of c
    try (FrameStore store = TestLog.open(directory);
        FrameCursor cursor =
            store.read(Query.of(TopicFilter.all()).after(frames.get(4).position()))) {
      assertThat(cursor.next()).isNotNull().extracting(Frame::content).isEqualTo("d");
      assertThat(cursor.damage()).singleElement().asString().contains(MISSING);
    }
  }

  @Test
  void line_containsPrecedingChecksum() throws IOException {
    List<String> log = Files.readAllLines(TestLog.segment(directory));
    log.addAll(Files.readAllLines(TestLog.segment(directory, 2)));
    for (int i = 1; i < log.size(); i++) {
      String before = log.get(i - 1);
      String crc = before.substring(before.length() - 10, before.length() - 2);
      assertThat(log.get(i)).contains(",\"after\":\"" + crc + "\"");
    }
  }

  private static void assertReads(FrameStore store, String read, String told) {
    List<String> contents = new ArrayList<>();
    List<Damage> seen;
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.of(TestLog.TOPIC)))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
      seen = cursor.damage();
    }
    assertThat(String.join(" ", contents)).as("frames read").isEqualTo(read);
    assertTold(seen, told);
    assertTold(store.verify(), told);
  }

  private static void assertTold(List<Damage> damage, String told) {
    String[] words = told.isEmpty() ? new String[0] : told.split(",");
    assertThat(damage).as("reported damage").hasSize(words.length);
    for (int i = 0; i < words.length; i++) {
      assertThat(damage.get(i).description()).contains(words[i]);
      assertThat(damage.get(i).file()).startsWith("log/0000000");
    }
  }

  private static String follow(FrameStore store) {
    try (Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      return drain(follower);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String drain(Follower follower) throws InterruptedException {
    List<String> contents = new ArrayList<>();
    for (Frame f = follower.poll(Duration.ZERO); f != null; f = follower.poll(Duration.ZERO)) {
      contents.add(f.content());
    }
    return String.join(" ", contents);
  }

  private void name(String namesOfLines, List<String> read) {
    names.addAll(List.of(namesOfLines.split(" ")));
    lines.addAll(read);
    assertThat(lines).hasSameSizeAs(names);
  }

  private String lines(String wanted) {
    return Stream.of(wanted.split(" "))
        .map(name -> lines.get(names.indexOf(name)))
        .collect(Collectors.joining("\n"));
  }

  private void write(Path segment, String wanted) throws IOException {
    Files.writeString(segment, lines(wanted) + "\n");
  }

  private String withoutLink(String name) {
    String bare = lines(name).replaceFirst(",\"after\":\"[0-9a-f]{8}\"", "");
    byte[] line = LogLine.ascii(bare);
    LogLine.writeChecksum(line, 0, line.length - LogLine.CRC_LENGTH, new java.util.zip.CRC32C());
    return new String(line, java.nio.charset.StandardCharsets.US_ASCII);
  }

  private static long checksum(String line) {
    return LogLine.readDigits(LogLine.ascii(line), line.length() - 10);
  }
}
