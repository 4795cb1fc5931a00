package dev.ralph.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RenewalTest {

  @Test
  void failedRenewal_isRetried() throws Exception {
    List<Throwable> thrown = List.of(new IllegalStateException("store"), new StackOverflowError());
    for (Throwable failure : thrown) {
      CountDownLatch renewals = new CountDownLatch(3);
      try (Lease.Renewal renewal =
          new Lease.Renewal(
              Duration.ofMillis(30),
              () -> {
                renewals.countDown();
                RenewalTest.<RuntimeException>raise(failure);
              })) {
        renewal.start();
        assertThat(renewals.await(1, TimeUnit.MINUTES)).as("" + failure).isTrue();
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable failure) throws T {
    throw (T) failure;
  }
}
