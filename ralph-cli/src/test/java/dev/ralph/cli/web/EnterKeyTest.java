package dev.ralph.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EnterKeyTest {

  @Test
  void eachLine_runsTheAction() throws Exception {
    PipedInputStream in = new PipedInputStream();
    PipedOutputStream keyboard = new PipedOutputStream(in);
    AtomicInteger count = new AtomicInteger();
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(2);
    Thread thread =
        new Thread(
            () ->
                EnterKey.listen(
                    in,
                    () -> {
                      count.incrementAndGet();
                      first.countDown();
                      second.countDown();
                    }));
    thread.start();

    keyboard.write('\n');
    assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
    keyboard.write('\n');
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    thread.interrupt();
    thread.join();

    assertThat(count).hasValue(2);
  }
}
