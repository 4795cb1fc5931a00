package dev.ralph.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimedBodyTest {

  private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);

  private InputStream body(int length, Duration ofByte) {
    InputStream slow =
        new ByteArrayInputStream(new byte[length]) {
          @Override
          public synchronized int read(byte[] bytes, int from, int most) {
            time.addAndGet(ofByte.toNanos());
            return super.read(bytes, from, Math.min(most, 1));
          }
        };
    return new TimedBody(() -> slow, Duration.ofSeconds(15), time::get);
  }

  @Test
  void bodyInTime_isReadCompletely() throws Exception {
    assertThat(body(13, Duration.ofSeconds(1)).readNBytes(100)).hasSize(13);
  }

  /** Each byte arrives in time, but all of them do not. */
  @Test
  void trickledBody_isCut() {
    assertThatThrownBy(() -> body(100, Duration.ofSeconds(1)).readNBytes(100))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessageContaining("15 seconds");
    assertThatThrownBy(() -> body(100, Duration.ofSeconds(20)).read())
        .isInstanceOf(InterruptedIOException.class);
  }
}
