package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of an untrusted store: their checksums are valid, but their fields are not. */
class ForgedLinesTest {

  private static final String ID = "03h9yb73er4nzujpfcrr6lpbw";
  private static final String HASH = "0123456789abcdef".repeat(4);
  private static final String TIME = "\",\"time\":\"2026-11-21T08:30:00.123Z";
  private static final String BEGIN = "{\"id\":\"" + ID + "\",\"topic\":\"ralph.test.task";
  private static final String HEAD = BEGIN + TIME + "\",\"batch\":\"b\"";
  private static final int MUTATIONS = 2_000;

  @TempDir Path temp;
  private Path directory;
  private List<String> lines = List.of();

  @BeforeEach
  void writeLog() throws IOException {
    directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    Files.delete(directory.resolve(".git/witness"));
    lines = Files.readAllLines(TestLog.segment(directory));
  }

  static Stream<String> forged() {
    return Stream.of(
        HEAD.replace("ralph.test.task", "") + ",\"meta\":{}",
        HEAD.replace("ralph.test.task", "a b") + ",\"meta\":{}",
        HEAD.replace("ralph.test.task", "../..") + ",\"meta\":{}",
        HEAD.replace("ralph.test.task", "x".repeat(300)) + ",\"meta\":{}",
        HEAD.replace("ralph.test.task", "x".repeat(100_000)) + ",\"meta\":{}",
        BEGIN + "x".repeat(100),
        BEGIN + "\",\"time\":\"" + "x".repeat(100),
        BEGIN + TIME + "x".repeat(60),
        BEGIN + TIME + "\",\"batch\":\"" + "x".repeat(60),
        HEAD + "x".repeat(60),
        HEAD + ",\"part\":1,\"meta\":{}" + " ".repeat(60),
        HEAD + ",\"part\":x,\"of\":2,\"meta\":{}",
        HEAD + ",\"part\":-1,\"of\":2,\"meta\":{}",
        HEAD + ",\"part\":1,\"of\":,\"meta\":{}",
        HEAD + ",\"part\":1,\"of\":99999999999999999999,\"meta\":{}",
        HEAD + ",\"part\":4294967297,\"of\":4294967297,\"meta\":{}",
        HEAD + ",\"clock\":\"" + "x".repeat(20),
        HEAD + ",\"clock\":\"" + ID + "\",\"after\":\"0",
        HEAD + ",\"after\":\"01234567\"" + "x".repeat(30),
        HEAD + ",\"other\":1" + "x".repeat(30),
        HEAD + ",\"meta\":" + "1".repeat(30),
        HEAD + ",\"meta\":null" + " ".repeat(30),
        HEAD + ",\"meta\":{" + " ".repeat(30),
        HEAD + ",\"meta\":{\"a\":\"" + "x".repeat(30),
        HEAD + ",\"meta\":{\"a\":\"\\\"" + "x".repeat(30),
        HEAD + ",\"meta\":{\"a\":\"" + "\\".repeat(31),
        HEAD + ",\"meta\":}" + " ".repeat(30),
        HEAD + ",\"meta\":{\"a\":[1}" + " ".repeat(30),
        HEAD + ",\"meta\":{},\"content\":\"",
        HEAD + ",\"meta\":{},\"content\":\"x",
        HEAD + ",\"meta\":{},\"content_ref\":\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"/etc/passwd\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"../../victim\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"sha256-../../" + HASH.substring(6) + "\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"sha256-" + HASH.toUpperCase(Locale.ROOT) + "\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"sha256-" + HASH + "0\"",
        HEAD + ",\"meta\":{},\"content_ref\":\"sha256-" + HASH + "\",\"more\":1");
  }

  @ParameterizedTest
  @MethodSource("forged")
  void forgedLine_isDamage_restIsRead(String line) throws Exception {
    write(lines.get(0), lines.get(1), checked(line), lines.get(2));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
      assertThat(store.verify())
          .extracting(Damage::description)
          .anyMatch(what -> what.matches("a line is damaged|a batch is incomplete"));
      use(store);
      assertThat(TestLog.contents(store)).containsExactly("one", "two", "more");
      assertThatThrownBy(() -> store.erase(List.of(ID))).isInstanceOf(RalphException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("forged")
  void forgedLineAtEnd_isDamage(String line) throws Exception {
    write(lines.get(0), lines.get(1), lines.get(2), checked(line));
    try (FrameStore store = TestLog.open(directory)) {
      use(store);
      assertThat(TestLog.contents(store)).containsExactly("one", "two", "more");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ralph\":\"log\",\"format\":",
        "{\"ralph\":\"log\",\"format\":x,\"store\":\"a\",\"segment\":1",
        "{\"ralph\":\"log\",\"format\":0,\"store\":\"a\",\"segment\":1,\"created\":\"x\"",
        "{\"ralph\":\"log\",\"format\":-1,\"store\":\"a\",\"segment\":1,\"created\":\"x\"",
        "{\"ralph\":\"log\",\"format\":4294967297,\"store\":\"a\",\"segment\":1,\"created\":\"x\"",
        "{\"ralph\":\"log\",\"format\":1",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"\\\\",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"../../x\",\"segment\":1,\"created\":\"x\"",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"a\"",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"a\",\"segment\":",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"a\",\"segment\":-7,\"created\":\"x\"",
        "{\"ralph\":\"log\",\"format\":1,\"store\":\"a\",\"segment\":99999999999,\"created\":\"x\""
      })
  void forgedHeader_isDamage(String header) throws Exception {
    write(checked(header), lines.get(1), lines.get(2));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("one", "two");
      assertThat(store.verify()).extracting(Damage::description).contains("the header is damaged");
      use(store);
    }
  }

  @Test
  void randomLineWithValidChecksum_neverFails() throws Exception {
    Random random = new Random(42);
    String batch = HEAD + ",\"part\":1,\"of\":2,\"clock\":\"" + ID + "\",\"after\":\"01234567\"";
    String[] bases = {
      batch + ",\"meta\":{\"a\":[1,{\"b\":\"c\"}]},\"content\":\"d\\n\"",
      HEAD + ",\"meta\":{},\"content_ref\":\"sha256-" + HASH + "\"",
      HEAD + ",\"x\":\"erased-----DaBbIoA\"",
      lines.get(0).substring(0, lines.get(0).length() - LogLine.CRC_LENGTH)
    };
    byte[] interesting = "\"\\{}[]:,09az-/.\0 ".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] line = bases[i % bases.length].getBytes(StandardCharsets.US_ASCII);
      for (int change = random.nextInt(4); change >= 0; change--) {
        line[random.nextInt(line.length)] = interesting[random.nextInt(interesting.length)];
      }
      if (random.nextInt(3) == 0) {
        line = Arrays.copyOf(line, 1 + random.nextInt(line.length));
      }
      byte[] forged = checked(line);
      if (random.nextBoolean()) {
        write(lines.get(0), lines.get(1), forged, lines.get(2));
      } else {
        write(forged, lines.get(1), lines.get(2));
      }
      read(i, new String(forged, StandardCharsets.US_ASCII));
    }
  }

  private void read(int number, String forged) {
    try (FrameStore store = TestLog.open(directory)) {
      for (Frame frame : TestLog.frames(store, TopicFilter.all())) {
        frame.id();
        frame.time();
        try {
          frame.content();
          frame.meta().json();
        } catch (RalphException told) {
          assertThat(told.getMessage()).isNotEmpty();
        }
      }
      store.verify();
      store.last(TopicFilter.all());
      store.topics(TopicFilter.all());
    } catch (RalphException told) {
      assertThat(told.code())
          .as("%s: %s", number, forged)
          .isIn(RalphException.Code.UNSUPPORTED, RalphException.Code.DAMAGED);
    } catch (RuntimeException | Error e) {
      throw new AssertionError("case " + number + ": " + forged, e);
    }
  }

  private static void use(FrameStore store) throws InterruptedException {
    assertThat(store.topics(TopicFilter.all())).containsExactly(TestLog.TOPIC);
    assertThat(store.last(TopicFilter.all()).orElseThrow().content()).isEqualTo("two");
    try (Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
    }
    assertThat(store.leftovers()).isEmpty();
    TestLog.append(store, TestLog.TOPIC, "more");
  }

  private static byte[] checked(String text) {
    return checked(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] checked(byte[] text) {
    byte[] line = Arrays.copyOf(text, text.length + LogLine.CRC_LENGTH);
    LogLine.writeChecksum(line, 0, text.length, new CRC32C());
    return line;
  }

  private void write(Object... all) throws IOException {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (Object line : all) {
      log.writeBytes(
          line instanceof byte[] bytes ? bytes : ((String) line).getBytes(StandardCharsets.UTF_8));
      log.write('\n');
    }
    Files.write(TestLog.segment(directory), log.toByteArray());
  }
}
