package dev.ralph.log;

import java.util.Objects;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/** The implementation of a topic. */
@Immutable
final class TopicName implements Topic {

  private final String name;

  /** Creates a topic of a name that {@link #check} has accepted. */
  TopicName(String name) {
    this.name = name;
  }

  static void check(String what, String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      throw RalphException.invalid(
          what + " must have 1 to " + MAX_LENGTH + " characters, not " + name.length());
    }
    boolean segmentOpen = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '.' && segmentOpen) {
        segmentOpen = false;
      } else if (isSegmentChar(c)) {
        segmentOpen = true;
      } else {
        segmentOpen = false;
        break;
      }
    }
    if (!segmentOpen) {
      throw RalphException.invalid(
          what
              + " "
              + RalphException.quote(name)
              + " must be segments of letters, digits, '_' and '-', joined by single dots");
    }
  }

  static boolean isSegmentChar(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-';
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String scope() {
    return scopeOf(name);
  }

  static String scopeOf(String name) {
    int first = name.indexOf('.');
    int second = first < 0 ? -1 : name.indexOf('.', first + 1);
    return second < 0 ? name : name.substring(0, second);
  }

  @Override
  public Topic child(String segment) {
    Topic.checkSegment("topic segment", segment);
    return Topic.of(name + "." + segment);
  }

  @Override
  public int compareTo(Topic other) {
    return name.compareTo(Objects.requireNonNull(other, "other").name());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TopicName && ((TopicName) other).name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
