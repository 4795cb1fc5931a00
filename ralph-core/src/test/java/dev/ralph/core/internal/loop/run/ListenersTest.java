package dev.ralph.core.internal.loop.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.LoopEvent;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Notification of listeners that do not return. */
@Timeout(120)
class ListenersTest {

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final Listeners listeners =
      new Listeners(
          List.of(this::listen), Clock.systemUTC(), Duration.ofMillis(20), new Cancellation());
  private final LoopEvents events = new LoopEvents("s", 0, listeners);

  private void listen(LoopEvent event) {
    told.add(event.message());
    if (event.message().equals("hang")) {
      hangs.countDown();
      try {
        assertThat(goOn.await(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void hangingListener_losesLaterEvents() throws Exception {
    Thread agent = new Thread(() -> events.output(1, "hang"), "agent of the test");
    agent.start();
    assertThat(hangs.await(1, TimeUnit.MINUTES)).isTrue();

    Thread.currentThread().interrupt();
    events.notice(1, "dropped");
    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    events.notice(1, "dropped too");

    goOn.countDown();
    agent.join();
    events.notice(1, "told again");
    assertThat(told).containsExactly("hang", "told again");
  }
}
