package dev.ralph.core.internal.loop.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The agents and the abandoned work of a run. */
class WorkScopeTest {

  private static final int SECONDS = 60;

  private final WorkScope scope = new WorkScope();

  private CutOffWork<Boolean> started(Callable<Boolean> task) {
    CutOffWork<Boolean> work = new CutOffWork<>(CutOffWork.ownThread("work"), task);
    scope.add(work);
    work.start();
    return work;
  }

  private static boolean ends(CutOffWork<?> work) {
    return work.awaitEnd(Duration.ofSeconds(SECONDS));
  }

  @Test
  void action_runsAfterAllWorkHasEnded() throws InterruptedException {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    CutOffWork<Boolean> one = started(() -> first.await(SECONDS, TimeUnit.SECONDS));
    CutOffWork<Boolean> two = started(() -> second.await(SECONDS, TimeUnit.SECONDS));

    scope.whenEnded(ended::countDown);
    first.countDown();

    assertThat(ends(one)).isTrue();
    assertThat(ended.getCount()).as("the second work still runs").isEqualTo(1);
    second.countDown();
    assertThat(ended.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(ends(two)).isTrue();
  }

  @Test
  void endedWork_runsTheActionAtOnce() {
    assertThat(ends(started(() -> true))).isTrue();
    CountDownLatch ended = new CountDownLatch(1);

    scope.whenEnded(ended::countDown);

    assertThat(ended.getCount()).isZero();
  }

  @Test
  void emptyScope_runsTheActionAtOnce() {
    CountDownLatch ended = new CountDownLatch(1);

    scope.whenEnded(ended::countDown);

    assertThat(ended.getCount()).isZero();
  }

  @Test
  void currentThread_isRecognisedWithinWork() {
    CutOffWork<Boolean> work = started(scope::isCurrentThread);

    assertThat(ends(work)).isTrue();
    assertThat(work.value()).isTrue();
    assertThat(scope.isCurrentThread()).isFalse();
  }

  @Test
  void removedWork_isForgotten() {
    CutOffWork<Boolean> work = started(() -> true);
    assertThat(scope.isEmpty()).isFalse();

    scope.remove(work);

    assertThat(scope.isEmpty()).isTrue();
  }
}
