package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules for loops without progress. */
class ProgressWatchTest extends RunFixture {

  private static final String NOTHING =
      ": no task, note, message or question of the session, no commit, no file";

  private void idle(ProgressWatch watch, int times) {
    for (int i = 0; i < times; i++) {
      reading.look();
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
    ProgressWatch watch = progress(maxIdle, maxIterations);

    idle(watch, idle);

    assertThat(watch.over() != null).isEqualTo(over);
  }

  @Test
  void reason_namesUnreadMessagesAndOpenQuestions() {
    ProgressWatch watch = progress(1, 0);
    idle(watch, 1);
    assertThat(watch.over()).isEqualTo("nothing has changed in 1 iteration" + NOTHING);

    session.inbox().send("hello");
    session.questions().ask("Which port?", "agent", 0);
    reading.look();
    assertThat(watch.over())
        .isEqualTo(
            "nothing has changed in 1 iteration"
                + NOTHING
                + "; 1 message is not read yet: m1 hello; 1 question waits for an answer");

    session.questions().ask("Which host?", "agent", 0);
    reading.look();
    assertThat(watch.over()).endsWith("; 2 questions wait for answers");
  }

  @Test
  void secondIdleIteration_warnsAndPauses() {
    ProgressWatch watch = progress(3, 0);
    assertThat(watch.isStuck()).isFalse();

    idle(watch, 1);
    assertThat(watch.warning()).isEmpty();
    assertThat(watch.isStuck()).isFalse();

    idle(watch, 1);
    assertThat(watch.warning())
        .contains(
            "Nothing has changed in the last 2 iterations"
                + NOTHING
                + ". The loop ends after 3 such iterations.");
    assertThat(watch.isStuck()).isTrue();
  }

  @Test
  void failedIteration_neitherCountsNorPauses() {
    ProgressWatch watch = progress(3, 0);
    idle(watch, 2);

    reading.look();
    watch.begin();
    watch.ended(Iteration.Role.BUILD, Iteration.Status.FAILURE);

    assertThat(watch.isStuck()).isFalse();
    assertThat(watch.warning()).isPresent();
    assertThat(watch.over()).isNull();
    idle(watch, 1);
    assertThat(watch.over()).isNotNull();
  }

  @Test
  void writeToTheSession_resetsTheIdleCount() {
    ProgressWatch watch = progress(2, 0);
    idle(watch, 2);

    reading.look();
    watch.begin();
    session.tasks().add("one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    assertThat(watch.over()).isNull();
    assertThat(watch.isStuck()).isFalse();
    idle(watch, 1);
    assertThat(watch.over()).isNull();
    idle(watch, 1);
    assertThat(watch.over()).isNotNull();
  }

  @Test
  void writeBetweenIterations_isNoProgress() {
    ProgressWatch watch = progress(1, 0);
    reading.look();
    watch.begin();
    session.tasks().add("one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    session.tasks().add("two");
    idle(watch, 1);

    assertThat(watch.over()).isNotNull();
  }

  @Test
  void changedFile_resetsTheIdleCount() throws IOException {
    ProgressWatch watch = progress(2, 0);
    idle(watch, 1);

    reading.look();
    watch.begin();
    Files.writeString(folder.resolve("file"), "one");
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);
    idle(watch, 1);

    assertThat(watch.over()).isNull();
  }

  @Test
  void unreadableStore_countsAsProgress() {
    ProgressWatch watch = progress(3, 0);
    idle(watch, 2);

    reading.look();
    watch.begin();
    ralph.close();
    watch.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);

    assertThat(watch.isStuck()).isFalse();
    assertThat(watch.warning()).isEmpty();
  }

  @Test
  void disabledProgressLimit_observesNothing() {
    ProgressWatch watch = progress(0, 0);
    idle(watch, 1);

    session.inbox().send("hello");
    reading.look();

    assertThat(watch.isStirred()).isFalse();
  }

  @Test
  void foreignWrites_wakeAWaitingLoop() {
    ProgressWatch watch = progress(2, 0);
    session.tasks().add("one");
    assertThat(watch.isStirred()).as("before the first read").isFalse();
    idle(watch, 1);
    assertThat(watch.isStirred()).isFalse();

    session.control().pause();
    session.control().resume();
    reading.look();
    assertThat(watch.isStirred()).isFalse();

    session.inbox().send("hello");
    reading.look();
    assertThat(watch.isStirred()).isTrue();
    idle(watch, 1);
    assertThat(watch.isStirred()).isFalse();
  }
}
