package dev.ralph.core.internal.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternsTest {

  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource({
    // paths
    "pom.xml, pom.xml, true",
    "pom.xml, pom.xml2, false",
    "src, src/a/B.java, true",
    "src/, src/a, true",
    "./src/a, src/a, true",
    "src//a, src/a, true",
    "src/a, src/b, false",
    "src/a, src/ab, false",
    "src/A, src/a, true",
    // a path and a pattern
    "src/a, src/a/**, true",
    "src/a, src/a*, true",
    "src/a, src/ab*, false",
    "src/ab, src/a*, true",
    "src/a/b, src/*, true",
    "src/a/b, lib/*, false",
    "src/a/b, **, true",
    "src/a/b, *.java, true",
    // two patterns
    "src/a/**, src/b/**, false",
    "src/a/**, src/a/b/**, true",
    "src/a*, src/b*, false",
    "src/a*/x, src/ab/y, true",
    "src/**/x, src/**/y, true",
    "'src/{a,b}/**', src/b/**, true",
    "src/[ab], src/b, true",
    "src/a?, src/ab, true",
    "src\\a, src/b, true",
    // paths with non-ASCII letters or parent folders
    "src/é, src/é, true",
    "src/é, src/e, true",
    "src/aé, src/b, false",
    "src/../lib, lib, false",
    "src/../lib, src/a, true",
  })
  void patterns_overlapUnlessTheirPrefixesDiffer(String one, String other, boolean overlap) {
    assertThat(PathPatterns.overlap(List.of(one), List.of(other))).isEqualTo(overlap);
    assertThat(PathPatterns.overlap(List.of(other), List.of(one))).isEqualTo(overlap);
  }

  @Test
  void lists_overlapIfAnyPatternsDo() {
    assertThat(PathPatterns.overlap(List.of("a", "b"), List.of("c", "b/**"))).isTrue();
    assertThat(PathPatterns.overlap(List.of("a", "b"), List.of("c", "d"))).isFalse();
    assertThat(PathPatterns.overlap(List.of(), List.of("**"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "/etc/passwd", "../other", "a/../../b", "a\\..\\b", "a\nb"})
  void patternOutsideRepository_isRejected(String glob) {
    assertThatThrownBy(() -> PathPatterns.check(List.of("src/**", glob)))
        .hasMessageContaining("such as src/login/**");
  }

  @Test
  void tooManyOrLongPatterns_areRejected() {
    assertThatCode(() -> PathPatterns.check(Collections.nCopies(50, "a".repeat(500))))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> PathPatterns.check(Collections.nCopies(51, "a")))
        .hasMessageContaining("at most 50 patterns");
    assertThatThrownBy(() -> PathPatterns.check(List.of("a".repeat(501))))
        .hasMessageContaining("1 to 500 characters");
  }
}
