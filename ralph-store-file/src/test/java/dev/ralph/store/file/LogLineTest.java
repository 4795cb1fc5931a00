package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The offsets of fields in a line. */
class LogLineTest {

  private static final String ID = "0123456789abcdefghijklmno";
  private static final String CLOCK = "1123456789abcdefghijklmno";
  private static final String START =
      "{\"id\":\""
          + ID
          + "\",\"topic\":\"t\",\"time\":\"2026-11-21T08:30:00.123Z\",\"batch\":\"b\"";

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '\0',
      value = {
        "{} 2",
        "{\"a\":1} 7",
        "{\"a\":{}} 8",
        "{\"a\":[{}]},{} 10",
        "{\"a\":\"}\"} 9",
        "{\"a\":\"{[\"} 10",
        "{\"a\":\"\\\"}\"} 11",
        "{\"a\":\"\\\\\"},\"x\":\"}\" 10",
        "{\"a\":1 -1",
        "{\"a\":\"}} -1",
        "[ -1"
      })
  void objectEnd_ignoresBracesInStrings(String json, int end) {
    byte[] bytes = LogLine.ascii(json);
    assertThat(LogLine.endOfObject(bytes, 0, bytes.length)).isEqualTo(end);
    byte[] behind = LogLine.ascii("__" + json + "}}");
    assertThat(LogLine.endOfObject(behind, 2, 2 + bytes.length)).isEqualTo(end < 0 ? -1 : end + 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '\0',
      value = {"abc\"d 3", "\"\" 0", "a\\\"b\" 4", "a\\\\\"b 3", "abc 3"})
  void stringEnd_ignoresEscapedQuotes(String text, int end) {
    byte[] bytes = LogLine.ascii(text);
    assertThat(LogLine.endOfString(bytes, 0, bytes.length)).isEqualTo(end);
  }

  @Test
  void find_returnsFirstByteBeforeEnd() {
    byte[] bytes = new byte[40];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] = '\n';
      for (int from = 0; from < bytes.length; from++) {
        for (int to = from; to <= bytes.length; to++) {
          int expected = from <= at && at < to ? at : to;
          assertThat(LogLine.find((byte) '\n', buffer, from, to)).isEqualTo(expected);
          assertThat(LogLine.indexOf(bytes, from, to, (byte) '\n')).isEqualTo(expected);
        }
      }
      bytes[at] = (byte) (at % 2 == 0 ? '\n' + 1 : '\n' | 0x80);
    }
    assertThat(LogLine.indexOf(bytes, 30, 20, (byte) '\n')).isEqualTo(20);
  }

  @Test
  void at_comparesWholeWord() {
    byte[] line = LogLine.ascii("xx,\"crc\":\"");
    assertThat(LogLine.at(line, 2, LogLine.CRC)).isTrue();
    assertThat(LogLine.at(line, 1, LogLine.CRC)).isFalse();
    assertThat(LogLine.at(line, 3, LogLine.CRC)).isFalse();
    assertThat(LogLine.at(LogLine.ascii("xx,\"crc\":x"), 2, LogLine.CRC)).isFalse();
    assertThat(LogLine.at(LogLine.ascii("xx-\"crc\":\""), 2, LogLine.CRC)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0123abcf, true", "0000000/, false", "0000000:, false", "0000000`, false"})
  void checksum_hasEightDigits(String digits, boolean isOne) {
    byte[] bytes = LogLine.ascii(digits);
    long read = LogLine.readDigits(bytes, 0);
    assertThat(read != LogLine.NO_CHECKSUM).isEqualTo(isOne);
    byte[] written = LogLine.ascii("________");
    LogLine.writeDigits(written, 0, read);
    assertThat(written).isEqualTo(LogLine.ascii(isOne ? digits : "00000000"));
    for (String wrong : new String[] {"000g0000", "ABCDEF00"}) {
      assertThat(LogLine.readDigits(LogLine.ascii(wrong), 0)).isEqualTo(LogLine.NO_CHECKSUM);
    }
    assertThat(LogLine.readDigits(LogLine.ascii("09af09af"), 0)).isNotEqualTo(LogLine.NO_CHECKSUM);
  }

  @Test
  void precedingChecksum_needsLineEnd() {
    String end = "01234567\"}\n";
    assertThat(LogLine.checksumBefore(LogLine.ascii(end), end.length()))
        .isEqualTo(LogLine.readDigits(LogLine.ascii("01234567"), 0));
    for (String other : new String[] {"01234567\"}x", "01234567\"x\n", "01234567x}\n"}) {
      assertThat(LogLine.checksumBefore(LogLine.ascii(other), other.length()))
          .as(other)
          .isEqualTo(LogLine.NO_CHECKSUM);
    }
    assertThat(LogLine.checksumBefore(LogLine.ascii("1234567\"}\n"), 10))
        .isEqualTo(LogLine.NO_CHECKSUM);
  }

  @Test
  void intactLine_hasChecksumAndEnding() {
    byte[] line = sealed(START + ",\"meta\":{}");
    CRC32C crc = new CRC32C();
    assertThat(LogLine.isIntact(line, 0, line.length, crc)).isTrue();
    for (int i = 0; i < line.length; i++) {
      line[i] ^= 1;
      assertThat(LogLine.isIntact(line, 0, line.length, crc)).as("byte %d", i).isFalse();
      line[i] ^= 1;
    }
    assertThat(LogLine.isIntact(line, 1, line.length, crc)).isFalse();
    byte[] nothing = sealed("");
    assertThat(LogLine.isIntact(nothing, 0, nothing.length, crc)).as("an empty line").isFalse();
    byte[] shorter = LogLine.ascii("}");
    assertThat(LogLine.isIntact(shorter, 0, 1, crc)).isFalse();
  }

  @Test
  void lineWithinBuffer_isIntact() {
    byte[] one = sealed(START);
    byte[] buffer = new byte[7 + one.length + 5];
    System.arraycopy(one, 0, buffer, 7, START.length());
    CRC32C crc = new CRC32C();
    crc.update(1);
    LogLine.writeChecksum(buffer, 7, 7 + START.length(), crc);
    assertThat(Arrays.copyOfRange(buffer, 7, 7 + one.length)).isEqualTo(one);
    assertThat(LogLine.isIntact(buffer, 7, 7 + one.length, crc)).isTrue();
    assertThat(LogLine.isIntact(buffer, 7, 7 + one.length, crc)).as("checked again").isTrue();
  }

  @Test
  void checksum_isWrittenInHexadecimal() {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < 500; i++) {
      String start = "line " + i;
      crc.reset();
      crc.update(LogLine.ascii(start));
      assertThat(new String(sealed(start), java.nio.charset.StandardCharsets.US_ASCII))
          .isEqualTo(start + String.format(",\"crc\":\"%08x\"}", crc.getValue()));
    }
  }

  @Test
  void fieldsAfterBatch_areFound() {
    for (String part : new String[] {"", ",\"part\":1,\"of\":3", ",\"part\":10,\"of\":512"}) {
      byte[] own = LogLine.ascii(START + part + ",\"meta\":{}");
      assertThat(LogLine.behindPart(own, START.length())).isEqualTo(START.length() + part.length());
      assertThat(LogLine.clockAt(own, 0)).isEqualTo(-1);
      assertThat(LogLine.mintingClock(own, 0)).isEqualTo(ID);
      byte[] imported = LogLine.ascii(START + part + ",\"clock\":\"" + CLOCK + "\",\"meta\":{}");
      assertThat(LogLine.mintingClock(imported, 0)).isEqualTo(CLOCK);
      byte[] second =
          LogLine.ascii("##" + START + part + ",\"clock\":\"" + CLOCK + "\",\"meta\":{}");
      assertThat(LogLine.clockAt(second, 2))
          .isEqualTo(2 + START.length() + part.length() + LogLine.CLOCK.length);
    }
    byte[] line = LogLine.ascii(START + ",\"part\":1,\"of\":0950}");
    assertThat(LogLine.behindPart(line, START.length())).isEqualTo(line.length - 1);
    assertThat(LogLine.number(line, line.length - 5)).isEqualTo(950);
    assertThat(LogLine.number(line, line.length - 1)).isZero();
    assertThat(LogLine.endOfTopic(line, 0)).isEqualTo(LogLine.TOPIC_AT + 1);
    assertThat(LogLine.batchAt(LogLine.endOfTopic(line, 0))).isEqualTo(START.length() - 2);
  }

  @Test
  void header_isNoFrame() {
    assertThat(LogLine.isFrame(LogLine.ascii(START), 0)).isTrue();
    assertThat(LogLine.isFrame(LogLine.ascii("{\"ralph\":\"log\"" + " ".repeat(99)), 0)).isFalse();
    assertThat(LogLine.isFrame(LogLine.ascii(START.replace("topic", "Topic")), 0)).isFalse();
    assertThat(LogLine.isFrame(LogLine.ascii(START.replace("{\"id\"", "{\"ID\"")), 0)).isFalse();
  }

  @Test
  void link_isReadOnlyAtStartOfField() {
    ByteBuffer line = ByteBuffer.wrap(LogLine.ascii("x,\"after\":\"01234567\",\"meta\":{}"));
    long digits = LogLine.readDigits(LogLine.ascii("01234567"), 0);
    assertThat(LogLine.after(line, 1)).isEqualTo(digits);
    assertThat(LogLine.after(line, 0)).isEqualTo(LogLine.NO_CHECKSUM);
    ByteBuffer other = ByteBuffer.wrap(LogLine.ascii("x,\"after\":x01234567\",\"meta\":{}"));
    assertThat(LogLine.after(other, 1)).isEqualTo(LogLine.NO_CHECKSUM);
    ByteBuffer third = ByteBuffer.wrap(LogLine.ascii("x;\"after\":\"01234567\",\"meta\":{}"));
    assertThat(LogLine.after(third, 1)).isEqualTo(LogLine.NO_CHECKSUM);
  }

  private static byte[] sealed(String start) {
    byte[] line = new byte[start.length() + LogLine.CRC_LENGTH];
    System.arraycopy(LogLine.ascii(start), 0, line, 0, start.length());
    LogLine.writeChecksum(line, 0, start.length(), new CRC32C());
    return line;
  }
}
