package dev.ralph.log;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Objects;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * The name of one stream of frames: segments of {@code [A-Za-z0-9_-]} joined by dots, at most
 * {@value #MAX_LENGTH} characters, for example {@code ralph.auth-feature.task}.
 *
 * <p>The first two segments are the topic's {@linkplain #scope() scope}. A batch and the batch's
 * condition belong to the same scope.
 *
 * <p>{@link #of} creates topics. Topics are compared by name. Immutable; safe for use by many
 * threads.
 */
@Immutable
public sealed interface Topic extends Comparable<Topic> permits TopicName {

  /** The largest number of characters in a topic. */
  int MAX_LENGTH = 255;

  /**
   * Returns the topic with a name.
   *
   * @throws RalphException INVALID if the name is malformed
   */
  static Topic of(String name) {
    TopicName.check("topic", Objects.requireNonNull(name, "name"));
    return new TopicName(name);
  }

  /**
   * Checks a name for use as a segment of a topic, for example the name of a session.
   *
   * @param what names the purpose in the error message
   * @return the name
   * @throws RalphException INVALID if the name is empty, too long, or contains characters other
   *     than {@code [A-Za-z0-9_-]}
   */
  static String checkSegment(String what, String segment) {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(segment, "segment");
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
    Objects.requireNonNull(segment, "segment");
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

  /** Returns the full name. Jackson serializes the topic as its name. */
  @JsonValue
  String name();

  /** Returns the first two segments, or the full name if there are fewer. */
  String scope();

  /**
   * Returns the topic with one more segment.
   *
   * @throws RalphException INVALID if the segment is malformed or the topic becomes too long
   */
  Topic child(String segment);

  /** Compares the names. */
  @Override
  int compareTo(Topic other);

  /** Returns whether the other object is a topic of the same name. */
  @Override
  boolean equals(@Nullable Object other);

  /** Returns the hash code of the name. */
  @Override
  int hashCode();

  /** Returns the name. */
  @Override
  String toString();
}
