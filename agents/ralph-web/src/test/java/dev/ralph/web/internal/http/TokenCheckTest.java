package dev.ralph.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class TokenCheckTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
  private final AtomicInteger calls = new AtomicInteger();
  private final TokenCheck check = new TokenCheck(now::get);

  private BooleanSupplier returning(boolean isValid) {
    return () -> {
      calls.incrementAndGet();
      return isValid;
    };
  }

  @Test
  void streamsOfOneToken_shareACheck() {
    for (int second = 1; second <= 3; second++) {
      for (int stream = 0; stream < 16; stream++) {
        assertThat(check.isValid(returning(true))).isTrue();
      }
      assertThat(calls).hasValue(second);
      now.addAndGet(1_000_000_000);
    }
  }

  @Test
  void revokedToken_isInvalidAfterTrust() {
    assertThat(check.isValid(returning(true))).isTrue();
    now.addAndGet(TokenCheck.TRUST.toNanos() - 1);
    assertThat(check.isValid(returning(false))).isTrue();
    now.addAndGet(1);
    assertThat(check.isValid(returning(false))).isFalse();
  }

  @Test
  void failedCheck_isRepeated() {
    assertThat(check.isValid(returning(false))).isFalse();
    assertThat(check.isValid(returning(false))).isFalse();
    assertThat(calls).hasValue(2);
    assertThat(check.isValid(returning(true))).isTrue();
  }
}
