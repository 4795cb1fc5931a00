package dev.ralph.core.internal.loop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.RunFixture;
import dev.ralph.core.internal.loop.policy.IdleCount;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The detection of iterations without changes. */
class WorkDetectorTest extends RunFixture {

  private static final String NOTHING =
      ": no task, note, message or question of the session, no commit, no file";

  /** The detector and the count of a run. */
  private final class Watch {
    private IdleCount count;
    private final WorkDetector changes;

    private Watch(int maxIdle, int maxIterations) {
      count = IdleCount.of(maxIdle, maxIterations);
      changes = changes(count.isWatching());
    }

    private void begin() {
      changes.begin();
    }

    private void ended(Iteration.Role role, Iteration.Status status) {
      count = count.after(role, status, changes.hasChanged());
    }
  }

  private void idle(Watch watch, int times) {
    for (int i = 0; i < times; i++) {
      reading.readNewFrames();
      watch.begin();
      watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 0, false",
    "1, 0, 1, true",
    "2, 0, 1, false",
    "2, 0, 2, true",
    "2, 0, 3, true",
    "0, 0, 9, false",
    "2, 1, 9, false",
    "1, 1, 1, true",
    "2, 2, 2, true"
  })
  void maxIdleIterations_areOver(int maxIdle, int maxIterations, int idle, boolean over) {
    Watch watch = new Watch(maxIdle, maxIterations);

    idle(watch, idle);

    assertThat(watch.count.isOver()).isEqualTo(over);
  }

  @Test
  void secondIdleIteration_warnsAndPauses() {
    Watch watch = new Watch(3, 0);
    assertThat(watch.count.isStuck()).isFalse();

    idle(watch, 1);
    assertThat(watch.count.warning()).isEmpty();
    assertThat(watch.count.isStuck()).isFalse();

    idle(watch, 1);
    assertThat(watch.count.warning())
        .contains(
            "Nothing has changed in the last 2 iterations"
                + NOTHING
                + ". The loop ends after 3 such iterations.");
    assertThat(watch.count.isStuck()).isTrue();
  }

  @Test
  void failedIteration_neitherCountsNorPauses() {
    Watch watch = new Watch(3, 0);
    idle(watch, 2);

    reading.readNewFrames();
    watch.begin();
    watch.ended(Iteration.Role.BUILD, Iteration.Status.FAILURE);

    assertThat(watch.count.isStuck()).isFalse();
    assertThat(watch.count.warning()).isPresent();
    assertThat(watch.count.isOver()).isFalse();
    idle(watch, 1);
    assertThat(watch.count.isOver()).isTrue();
  }

  @Test
  void writeToTheSession_resetsTheIdleCount() {
    Watch watch = new Watch(2, 0);
    idle(watch, 2);

    reading.readNewFrames();
    watch.begin();
    session.tasks().add("one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    assertThat(watch.count.isOver()).isFalse();
    assertThat(watch.count.isStuck()).isFalse();
    idle(watch, 1);
    assertThat(watch.count.isOver()).isFalse();
    idle(watch, 1);
    assertThat(watch.count.isOver()).isTrue();
  }

  @Test
  void writeBetweenIterations_isNoProgress() {
    Watch watch = new Watch(1, 0);
    reading.readNewFrames();
    watch.begin();
    session.tasks().add("one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    session.tasks().add("two");
    idle(watch, 1);

    assertThat(watch.count.isOver()).isTrue();
  }

  @Test
  void changedFile_resetsTheIdleCount() throws IOException {
    Watch watch = new Watch(2, 0);
    idle(watch, 1);

    reading.readNewFrames();
    watch.begin();
    Files.writeString(folder.resolve("file"), "one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);
    idle(watch, 1);

    assertThat(watch.count.isOver()).isFalse();
  }

  @Test
  void unreadableStore_countsAsProgress() {
    Watch watch = new Watch(3, 0);
    idle(watch, 2);

    reading.readNewFrames();
    watch.begin();
    ralph.close();
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    assertThat(watch.count.isStuck()).isFalse();
    assertThat(watch.count.warning()).isEmpty();
  }

  @Test
  void disabledProgressLimit_observesNothing() {
    Watch watch = new Watch(0, 0);
    idle(watch, 1);

    session.inbox().send("hello");
    reading.readNewFrames();

    assertThat(watch.changes.hasNewWork()).isFalse();
  }

  @Test
  void foreignWrites_wakeAWaitingLoop() {
    Watch watch = new Watch(2, 0);
    session.tasks().add("one");
    assertThat(watch.changes.hasNewWork()).as("before the first read").isFalse();
    idle(watch, 1);
    assertThat(watch.changes.hasNewWork()).isFalse();

    session.control().pause();
    session.control().resume();
    reading.readNewFrames();
    assertThat(watch.changes.hasNewWork()).isFalse();

    session.inbox().send("hello");
    reading.readNewFrames();
    assertThat(watch.changes.hasNewWork()).isTrue();
    idle(watch, 1);
    assertThat(watch.changes.hasNewWork()).isFalse();
  }
}
