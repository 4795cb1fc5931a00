package dev.ralph.log;

import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * The name of one stream of frames: segments of {@code [A-Za-z0-9_-]} joined by dots, at most
 * {@value #MAX_LENGTH} characters, for example {@code ralph.auth-feature.task}.
 *
 * <p>The first two segments are the topic's {@linkplain #scope() scope}. A batch, and the condition
 * it is appended under, stay within one scope.
 *
 * <p>Topics are made by {@link #of}; nobody else implements this. Two are equal, and stand in
 * order, as their names do. Immutable; safe for use by many threads.
 */
@Immutable
public sealed interface Topic extends Comparable<Topic> permits TopicName {

  /** The largest number of characters in a topic. */
  int MAX_LENGTH = 255;

  /**
   * Returns the topic of that name.
   *
   * @throws RalphException INVALID if the name breaks the rule above
   */
  static Topic of(String name) {
    TopicName.check("topic", name);
    return new TopicName(name);
  }

  /**
   * Checks a name that becomes one segment of a topic, such as a session's.
   *
   * @param what what the name is for, as the error message calls it
   * @return the name
   * @throws RalphException INVALID if it is empty, too long, or holds anything but {@code
   *     [A-Za-z0-9_-]}
   */
  static String checkSegment(String what, String segment) {
    if (segment.isEmpty() || segment.length() > MAX_LENGTH / 2) {
      throw RalphException.invalid(
          what + " must have 1 to " + MAX_LENGTH / 2 + " characters, not " + segment.length());
    }
    for (int i = 0; i < segment.length(); i++) {
      if (!TopicName.isSegmentChar(segment.charAt(i))) {
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
  static boolean isSegment(String segment) {
    if (segment.isEmpty() || segment.length() > MAX_LENGTH / 2) {
      return false;
    }
    for (int i = 0; i < segment.length(); i++) {
      if (!TopicName.isSegmentChar(segment.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the whole name. */
  String name();

  /** Returns the first two segments, or the whole name where there are fewer. */
  String scope();

  /**
   * Returns the topic one segment below this one.
   *
   * @throws RalphException INVALID if the segment breaks the rule, or the topic becomes too long
   */
  Topic child(String segment);

  /** Compares the names. */
  @Override
  int compareTo(Topic other);

  /** Returns whether the other is a topic of the same name. */
  @Override
  boolean equals(@Nullable Object other);

  /** Returns that of the name. */
  @Override
  int hashCode();

  /** Returns the name. */
  @Override
  String toString();
}
