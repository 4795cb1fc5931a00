package dev.ralph.core.internal.text;

import dev.ralph.log.Topic;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A name as a segment of a topic. A name that is no valid segment is escaped with two leading
 * hyphens. Letters and digits are then unchanged. Each other byte of UTF-8 becomes an underscore
 * and two hexadecimal digits. So names and segments correspond one to one.
 */
public final class EscapedName {

  /** The highest number of characters of a segment. */
  public static final int LONGEST = Topic.MAX_LENGTH / 2;

  private static final String ESCAPED = "--";

  private EscapedName() {}

  /** Returns the segment of a name, which may be too long for a topic. */
  public static String of(String name) {
    if (Topic.isSegment(name) && !name.startsWith(ESCAPED)) {
      return name;
    }
    StringBuilder escaped = new StringBuilder(ESCAPED);
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      if (isKept((char) b)) {
        escaped.append((char) b);
      } else {
        escaped.append('_');
        escaped.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
      }
    }
    return escaped.toString();
  }

  /** Returns the name of a segment, or null if the segment is invalid. */
  public static @Nullable String name(String segment) {
    if (!segment.startsWith(ESCAPED)) {
      return segment;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = ESCAPED.length(); i < segment.length(); i++) {
      char c = segment.charAt(i);
      if (isKept(c)) {
        bytes.write(c);
      } else if (c == '_' && i + 2 < segment.length()) {
        bytes.write(
            Character.digit(segment.charAt(i + 1), 16) << 4
                | Character.digit(segment.charAt(i + 2), 16));
        i += 2;
      } else {
        return null;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static boolean isKept(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }
}
