package dev.ralph.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * Selects frames by topic. A pattern is a topic, a prefix such as {@code ralph.auth.*}, or {@code
 * *} for all topics. A filter has one or more patterns.
 *
 * <p>{@code a.b.*} selects {@code a.b.c} and {@code a.b.c.d}, but neither {@code a.b} nor {@code
 * a.bc}.
 */
@Immutable
public final class TopicFilter {

  private static final TopicFilter ALL = new TopicFilter(List.of("*"));

  private final List<String> patterns;

  private TopicFilter(List<String> patterns) {
    this.patterns = patterns;
  }

  /** Returns the filter that selects every frame. */
  public static TopicFilter all() {
    return ALL;
  }

  /** Returns the filter that selects the frames of these topics. */
  public static TopicFilter of(Topic first, Topic... more) {
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(more, "more");
    List<String> names = new ArrayList<>();
    names.add(first.name());
    for (Topic topic : more) {
      names.add(Objects.requireNonNull(topic, "more").name());
    }
    return canonical(names);
  }

  /**
   * Returns the filter that selects every frame of a scope.
   *
   * @param scope a scope as {@link Topic#scope()} returns it
   * @throws RalphException INVALID if the scope has more than two segments or is malformed
   */
  public static TopicFilter ofScope(String scope) {
    Topic topic = Topic.of(Objects.requireNonNull(scope, "scope"));
    if (!topic.scope().equals(scope)) {
      throw RalphException.invalid(
          RalphException.quote(scope) + " is not a scope; a scope has at most two segments");
    }
    return scope.indexOf('.') < 0 ? of(topic) : canonical(List.of(scope, scope + ".*"));
  }

  /**
   * Parses a pattern: a topic, a prefix that ends in {@code .*}, or {@code *}.
   *
   * @throws RalphException INVALID if the pattern is malformed
   */
  public static TopicFilter parse(String pattern) {
    if (Objects.requireNonNull(pattern, "pattern").equals("*")) {
      return ALL;
    }
    boolean below = pattern.endsWith(".*");
    TopicName.check("topic pattern", below ? pattern.substring(0, pattern.length() - 2) : pattern);
    return new TopicFilter(List.of(pattern));
  }

  /** Returns the filter that selects the frames of both filters. */
  public TopicFilter or(TopicFilter other) {
    Objects.requireNonNull(other, "other");
    List<String> both = new ArrayList<>(patterns);
    both.addAll(other.patterns);
    return canonical(both);
  }

  private static TopicFilter canonical(List<String> patterns) {
    TreeSet<String> sorted = new TreeSet<>(patterns);
    return sorted.contains("*") ? ALL : new TopicFilter(List.copyOf(sorted));
  }

  /** Returns whether the filter selects a topic. */
  public boolean matches(Topic topic) {
    Objects.requireNonNull(topic, "topic");
    for (int i = 0; i < patterns.size(); i++) {
      if (matches(patterns.get(i), topic.name())) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(String pattern, String topic) {
    int length = pattern.length();
    if (pattern.charAt(length - 1) != '*') {
      return pattern.equals(topic);
    }
    return topic.length() > length - 1 && topic.regionMatches(0, pattern, 0, length - 1);
  }

  /**
   * Returns the common {@linkplain Topic#scope() scope} of all selected topics, or empty if the
   * topics may have several scopes.
   */
  public Optional<String> scope() {
    String scope = scope(patterns.get(0));
    for (int i = 1; i < patterns.size() && scope != null; i++) {
      scope = scope.equals(scope(patterns.get(i))) ? scope : null;
    }
    return Optional.ofNullable(scope);
  }

  /**
   * Returns the common scope of the topics of a pattern, or null if there may be several scopes.
   */
  private static @Nullable String scope(String pattern) {
    if (!pattern.endsWith("*")) {
      return TopicName.scopeOf(pattern);
    }
    int first = pattern.indexOf('.');
    int second = first < 0 ? -1 : pattern.indexOf('.', first + 1);
    return second < 0 ? null : pattern.substring(0, second);
  }

  /** Returns the patterns, sorted, each in the form that {@link #parse} accepts. */
  public List<String> patterns() {
    return patterns;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TopicFilter && ((TopicFilter) other).patterns.equals(patterns);
  }

  @Override
  public int hashCode() {
    return patterns.hashCode();
  }

  @Override
  public String toString() {
    return String.join(" or ", patterns);
  }
}
