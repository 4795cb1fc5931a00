package dev.ralph.chaos;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Computes line checksums, which need no secret. */
final class ForgedLine {

  private static final String CHECKSUM = ",\"crc\":\"";

  private ForgedLine() {}

  /** Returns a line without its checksum, or null if it has none. */
  static String withoutChecksum(String line) {
    int at = line.lastIndexOf(CHECKSUM);
    return at < 0 ? null : line.substring(0, at);
  }

  static String checksumIn(String line) {
    int at = line.lastIndexOf(CHECKSUM) + CHECKSUM.length();
    return line.substring(at, at + 8);
  }

  /** Returns the line with a correct checksum. */
  static String checksummed(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return text + CHECKSUM + HexFormat.of().toHexDigits((int) crc.getValue()) + "\"}";
  }
}
