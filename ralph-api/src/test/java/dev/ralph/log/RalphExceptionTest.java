package dev.ralph.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.RalphException.Code;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RalphExceptionTest {

  private static final Position SINCE = Position.of(7);

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(Code.INVALID, RalphException.class, RalphException.invalid("no")),
        Arguments.of(Code.NOT_FOUND, NotFoundException.class, RalphException.notFound("no")),
        Arguments.of(
            Code.AMBIGUOUS, AmbiguousException.class, new AmbiguousException("no", List.of("t1"))),
        Arguments.of(Code.LOCKED, LockedException.class, new LockedException("no", 12)),
        Arguments.of(Code.CONTENDED, ContendedException.class, RalphException.contended("no")),
        Arguments.of(Code.DAMAGED, DamagedException.class, RalphException.damaged("no")),
        Arguments.of(Code.FULL, RalphException.class, RalphException.full("no")),
        Arguments.of(
            Code.UNAVAILABLE, RalphException.class, RalphException.unavailable("no", null)),
        Arguments.of(Code.UNSUPPORTED, RalphException.class, RalphException.unsupported("no")),
        Arguments.of(Code.CLOSED, ClosedException.class, RalphException.closed("no")),
        Arguments.of(
            Code.INDETERMINATE,
            IndeterminateException.class,
            new IndeterminateException("no", "batch1", SINCE, true, new AssertionError())),
        Arguments.of(Code.IO, RalphException.class, RalphException.io("no")));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void code_determinesExceptionType(Code code, Class<?> type, RalphException failure) {
    assertThat(failure).isExactlyInstanceOf(type);
    assertThat(failure.code()).isEqualTo(code);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void withMessage_keepsTypeCodeAndCause(Code code, Class<?> type, RalphException failure) {
    assertThat(failure.withMessage("task #2: no"))
        .isExactlyInstanceOf(type)
        .hasMessage("task #2: no")
        .hasCause(failure)
        .extracting(RalphException::code)
        .isEqualTo(code);
  }

  @Test
  void failures_coverEveryCode() {
    assertThat(failures().map(failure -> failure.get()[0]))
        .containsExactlyInAnyOrderElementsOf(EnumSet.allOf(Code.class));
  }

  @Test
  void withMessage_keepsDetails() {
    assertThat(new LockedException("held", 12).withMessage("no").pid()).isEqualTo(12);
    assertThat(new AmbiguousException("two", List.of("t1", "t2")).withMessage("no").candidates())
        .containsExactly("t1", "t2");
    IndeterminateException unknown =
        new IndeterminateException("?", "batch1", SINCE, true, new AssertionError())
            .withMessage("no");
    assertThat(unknown.batchId()).isEqualTo("batch1");
    assertThat(unknown.since()).isEqualTo(SINCE);
    assertThat(unknown.isWritten()).isTrue();
  }
}
