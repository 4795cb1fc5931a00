package dev.ralph.log;

import dev.ralph.RalphException;

/**
 * The name of one stream of frames: segments of {@code [A-Za-z0-9_-]} joined by dots, at most
 * {@value #MAX_LENGTH} characters, for example {@code ralph.auth-feature.task}.
 *
 * <p>The first two segments are the topic's {@linkplain #scope() scope}. A batch, and the condition
 * it is appended under, stay within one scope.
 */
public final class Topic implements Comparable<Topic> {

  /** The largest number of characters in a topic. */
  public static final int MAX_LENGTH = 255;

  private final String name;

  private Topic(String name) {
    this.name = name;
  }

  /**
   * Returns the topic of that name.
   *
   * @throws RalphException INVALID if the name breaks the rule above
   */
  public static Topic of(String name) {
    checkName("topic", name);
    return new Topic(name);
  }

  /**
   * Checks a name that becomes one segment of a topic, such as a session's.
   *
   * @param what what the name is for, as the error message calls it
   * @return the name
   * @throws RalphException INVALID if it is empty, too long, or holds anything but {@code
   *     [A-Za-z0-9_-]}
   */
  public static String checkSegment(String what, String segment) {
    if (segment.isEmpty() || segment.length() > MAX_LENGTH / 2) {
      throw RalphException.invalid(
          what + " must have 1 to " + MAX_LENGTH / 2 + " characters, not " + segment.length());
    }
    for (int i = 0; i < segment.length(); i++) {
      if (!isSegmentChar(segment.charAt(i))) {
        throw RalphException.invalid(
            what
                + " "
                + RalphException.quote(segment)
                + " may hold letters, digits, '_' and '-' only");
      }
    }
    return segment;
  }

  /** Returns whether {@link #checkSegment} accepts the name. */
  public static boolean isSegment(String segment) {
    if (segment.isEmpty() || segment.length() > MAX_LENGTH / 2) {
      return false;
    }
    for (int i = 0; i < segment.length(); i++) {
      if (!isSegmentChar(segment.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  static void checkName(String what, String name) {
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

  private static boolean isSegmentChar(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-';
  }

  /** Returns the whole name. */
  public String name() {
    return name;
  }

  /** Returns the first two segments, or the whole name where there are fewer. */
  public String scope() {
    return scopeOf(name);
  }

  static String scopeOf(String name) {
    int first = name.indexOf('.');
    int second = first < 0 ? -1 : name.indexOf('.', first + 1);
    return second < 0 ? name : name.substring(0, second);
  }

  /**
   * Returns the topic one segment below this one.
   *
   * @throws RalphException INVALID if the segment breaks the rule, or the topic becomes too long
   */
  public Topic child(String segment) {
    checkSegment("topic segment", segment);
    return of(name + "." + segment);
  }

  @Override
  public int compareTo(Topic other) {
    return name.compareTo(other.name);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Topic && ((Topic) other).name.equals(name);
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
