package dev.ralph.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scope of a filter, and the filter of a scope. */
class TopicFilterTest {

  private static TopicFilter anyOf(String patterns) {
    return Stream.of(patterns.split("\\|"))
        .map(TopicFilter::parse)
        .reduce(TopicFilter::or)
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "a, a",
    "a.b, a.b",
    "a.b.c, a.b",
    "a.b.*, a.b",
    "a.b.c.*, a.b",
    "a.b|a.b.*, a.b",
    "a.b.c|a.b.d.*, a.b"
  })
  void filterOfSingleScope_hasScope(String patterns, String scope) {
    assertThat(anyOf(patterns).scope()).contains(scope);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "a.*", "a.b|a.c", "a|a.b", "a.b.*|a.bc.*", "a.b.c|a.*"})
  void filterOfSeveralScopes_hasNoScope(String patterns) {
    assertThat(anyOf(patterns).scope()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a.b"})
  void scopeFilter_matchesOnlyOwnScope(String scope) {
    TopicFilter filter = TopicFilter.ofScope(scope);
    assertThat(filter.scope()).contains(scope);
    for (String name : List.of("a", "a.b", "a.b.c", "a.b.c.d", "a.bc", "a.bc.d", "b", "ab")) {
      Topic topic = Topic.of(name);
      assertThat(filter.matches(topic)).as(name).isEqualTo(topic.scope().equals(scope));
    }
  }

  @Test
  void scopeWithThreeSegments_isRejected() {
    assertThatThrownBy(() -> TopicFilter.ofScope("a.b.c"))
        .isInstanceOf(RalphException.class)
        .hasMessage("'a.b.c' is not a scope; a scope has at most two segments");
  }
}
