package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TxThreadsTest {

  private static final Map<String, String> BEFORE =
      Map.of("b", "a", "c", "b", "x", "missing", "p", "q", "q", "r", "r", "p", "s", "q", "z", "z");

  @ParameterizedTest
  @CsvSource({
    "a, a",
    "b, a",
    "c, a",
    "x, missing",
    "missing, missing",
    "p, p",
    "q, p",
    "r, p",
    "s, p",
    "z, z"
  })
  void thread_isNamedAfterFirstMessage(String id, String thread) {
    assertThat(TxThreads.of(id, BEFORE::get)).isEqualTo(thread);
  }

  @Test
  void longThread_isResolved() {
    Map<String, String> before = new HashMap<>();
    for (int i = 1; i < 100_000; i++) {
      before.put("m" + i, "m" + (i - 1));
    }
    assertThat(TxThreads.of("m99999", before::get)).isEqualTo("m0");
  }
}
