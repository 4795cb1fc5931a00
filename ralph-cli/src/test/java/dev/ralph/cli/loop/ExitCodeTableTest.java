package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.StopReason;
import dev.ralph.cli.call.ExitCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The documented exit code of {@code build} for each stop reason. A new reason needs a row. */
class ExitCodeTableTest {

  @ParameterizedTest
  @EnumSource
  void eachReason_hasItsExitCode(StopReason reason) {
    int expected =
        switch (reason) {
          case COMPLETED -> 0;
          case STORE_FAILED, LOST -> 1;
          case MAX_ITERATIONS -> 3;
          case TIME_LIMIT -> 4;
          case FAILURES -> 5;
          case NO_PROGRESS -> 6;
          case BUDGET -> 7;
          case STOPPED -> 9;
          case CANNOT_START -> 10;
          case GATE_FAILED -> 11;
          case TASKS_BLOCKED -> 12;
          case PLAN_CHANGED -> 13;
          case REPOSITORY_LOCKED -> 14;
          case INTERRUPTED -> 130;
        };
    assertThat(ExitCode.of(reason, false)).isEqualTo(expected);
    assertThat(ExitCode.of(reason, true))
        .as("after a failed iteration")
        .isEqualTo(reason == StopReason.MAX_ITERATIONS ? 5 : expected);
  }
}
