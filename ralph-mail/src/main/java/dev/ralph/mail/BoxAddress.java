package dev.ralph.mail;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Where the mail to an address stands in the log. A name that a topic can't hold is escaped: behind
 * two hyphens stand letters and digits as they are, and of each other byte of UTF-8 an underscore
 * and two hexadecimal digits. So every name has one topic, and every topic one name.
 */
final class BoxAddress {

  private static final String ESCAPED = "--";
  private static final int LONGEST = Topic.MAX_LENGTH / 2;

  private BoxAddress() {}

  /** Returns the scope of a project's mail. */
  static Topic scope(String project) {
    return Topic.of("mail").child(escape("the name of a project", project));
  }

  /**
   * Returns the topic of the mail to an address.
   *
   * @param scope of the project
   */
  static Topic topic(Topic scope, String address) {
    if (address.startsWith(Mailboxes.SESSION)) {
      String session = address.substring(Mailboxes.SESSION.length());
      return Topic.of("ralph").child(Topic.checkSegment("session name", session)).child("inbox");
    }
    return scope.child(escape("the name of a box", address));
  }

  /** Returns the name of the box whose mail that topic holds, or null if it is none. */
  static @Nullable String name(Topic scope, Topic topic) {
    String below = topic.name().substring(scope.name().length() + 1);
    return below.indexOf('.') < 0 ? unescape(below) : null;
  }

  private static String escape(String what, String name) {
    RalphException.requireUnicode(what, name);
    if (name.isBlank()) {
      throw RalphException.invalid(what + " must not be blank");
    }
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
    if (escaped.length() > LONGEST) {
      throw RalphException.invalid(
          what
              + " is too long: "
              + RalphException.quote(name)
              + " needs "
              + escaped.length()
              + " characters, of "
              + LONGEST
              + " at most; each that is no letter, digit, '_' or '-' needs several");
    }
    return escaped.toString();
  }

  private static boolean isKept(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }

  private static @Nullable String unescape(String segment) {
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
}
