package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The line that replaces erased frames. */
class GapLineTest {

  private static final long AFTER = digits("0123abcd");
  private static final long LAST = digits("fedc9876");
  private static final GapLine PARTS = new GapLine(3, "b-1", 2, 4, 9);

  private static long digits(String text) {
    return LogLine.readDigits(LogLine.ascii(text), 0);
  }

  private static GapLine parse(byte[] line) {
    return GapLine.of(line, 0, line.length - 1);
  }

  private static byte[] only(GapLine gap, int length) {
    List<byte[]> lines = gap.lines(length, AFTER, LAST);
    assertThat(lines).hasSize(1);
    return lines.get(0);
  }

  @Test
  void line_hasDocumentedForm() {
    assertThat(new String(only(GapLine.ofBatches(7), 200), StandardCharsets.US_ASCII))
        .matches(
            "\\{\"gap\":7,\"after\":\"0123abcd\",\"x\":\"erased-+[A-Za-z@`-]{7}\","
                + "\"crc\":\"fedc9876\"}\n")
        .hasSize(200);
    assertThat(new String(only(PARTS, 300), StandardCharsets.US_ASCII))
        .startsWith("{\"gap\":3,\"batch\":\"b-1\",\"part\":2,\"last\":4,\"of\":9,\"after\":");
  }

  @ParameterizedTest
  @ValueSource(ints = {160, 161, 1000, GapLine.LONGEST})
  void encodedLine_isParsed(int length) {
    for (GapLine gap : List.of(GapLine.ofBatches(1), GapLine.ofBatches(123_456_789), PARTS)) {
      byte[] line = only(gap, length);
      assertThat(LogLine.isIntact(line, 0, line.length - 1, new CRC32C())).isTrue();
      assertThat(parse(line)).isEqualTo(gap);
      assertThat(line).hasSize(length);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {GapLine.LONGEST + 1, 100_000, 8_000_001})
  void longRun_isChainOfLines(long length) {
    List<byte[]> lines = PARTS.lines(length, AFTER, LAST);
    long sum = 0;
    long before = AFTER;
    for (byte[] line : lines) {
      int to = line.length - 1;
      assertThat(line.length).isLessThanOrEqualTo(GapLine.LONGEST);
      assertThat(LogLine.isIntact(line, 0, to, new CRC32C())).isTrue();
      assertThat(LogLine.readDigits(line, GapLine.linkAt(line, 0, to) + LogLine.AFTER.length))
          .isEqualTo(before);
      before = LogLine.checksumBefore(line, line.length);
      sum += line.length;
    }
    assertThat(sum).isEqualTo(length);
    assertThat(before).isEqualTo(LAST);
    assertThat(parse(lines.get(lines.size() - 1))).isEqualTo(PARTS);
    assertThat(parse(lines.get(0))).isEqualTo(GapLine.ofBatches(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"gap\":",
        "{\"gap\":x",
        "{\"gap\":1,\"batch\":\"b\",\"part\":2,\"last\":1,\"of\":3",
        "{\"gap\":2,\"batch\":\"b\",\"part\":1,\"last\":1,\"of\":3",
        "{\"gap\":3,\"batch\":\"b\",\"part\":1,\"last\":3,\"of\":3",
        "{\"gap\":1,\"batch\":\"b\",\"part\":0,\"last\":0,\"of\":3",
        "{\"gap\":1,\"batch\":\"b",
        "{\"gap\":1,\"part\":1",
        "{\"gap\":99999999999999999999"
      })
  void invalidFields_areNoGap(String head) {
    byte[] line =
        LogLine.ascii(
            head
                + ",\"after\":\"01234567\",\"x\":\"erased-------@@@@@@@\",\"crc\":\"01234567\"}\n");

    assertThat(parse(line)).isNull();
  }
}
