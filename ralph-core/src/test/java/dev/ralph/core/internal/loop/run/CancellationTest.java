package dev.ralph.core.internal.loop.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CancellationTest {

  private final Cancellation cancellation = new Cancellation();

  @Test
  void interruptedThread_isInterruptedAgainOnce() {
    cancellation.interrupted();
    cancellation.restoreInterrupt();

    assertTrue(Thread.interrupted());
    cancellation.restoreInterrupt();
    assertFalse(Thread.interrupted());
    assertEquals("the thread that runs the loop was interrupted", cancellation.reason());
  }

  @Test
  void interruptOfSecondThread_isNotPassedOn() throws InterruptedException {
    Thread another = new Thread(cancellation::interrupted);
    another.start();
    another.join();

    cancellation.restoreInterrupt();

    assertFalse(Thread.interrupted());
    assertTrue(cancellation.isRequested());
  }
}
