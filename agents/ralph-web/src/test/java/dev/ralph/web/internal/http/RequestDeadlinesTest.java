package dev.ralph.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestDeadlinesTest {

  private static final Duration SHORT = Duration.ofMillis(1);

  private final RequestDeadlines deadlines = new RequestDeadlines(() -> false);

  @Test
  void exceededLimit_interruptsThread() {
    deadlines.begin(SHORT);

    assertThat(isInterruptedWithinMinute()).isTrue();
    deadlines.close();
  }

  /** A thread of an embedder's server continues with other work. */
  @Test
  void interruptAtLimit_isClearedAtEnd() throws Exception {
    for (Runnable next :
        new Runnable[] {deadlines::end, () -> deadlines.begin(SHORT.plusDays(1))}) {
      deadlines.begin(SHORT);
      Thread late = Thread.currentThread();
      while (!late.isInterrupted()) {
        Thread.onSpinWait();
      }

      next.run();

      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      deadlines.end();
    }
    deadlines.close();
  }

  @Test
  void interruptOfEmbedder_remains() {
    deadlines.begin(Duration.ofMinutes(10));
    Thread.currentThread().interrupt();

    deadlines.end();
    deadlines.end();

    assertThat(Thread.interrupted()).isTrue();
    deadlines.close();
  }

  private static boolean isInterruptedWithinMinute() {
    try {
      return new CountDownLatch(1).await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      return true;
    }
  }
}
