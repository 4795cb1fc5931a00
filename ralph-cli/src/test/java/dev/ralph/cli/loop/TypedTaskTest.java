package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypedTaskTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("shop");

  @AfterEach
  void close() {
    ralph.close();
  }

  private Task same(String text, boolean isComplete) {
    return TypedTask.same(session.tasks().list(), text, isComplete);
  }

  @ParameterizedTest
  @CsvSource({
    "REMAINING,   false, true",
    "REMAINING,   true,  true",
    "IN_PROGRESS, false, true",
    "BLOCKED,     false, true",
    "COMPLETED,   false, true",
    "COMPLETED,   true,  false",
    "CANCELLED,   false, false",
    "CANCELLED,   true,  false",
  })
  void sameText_continuesUnfinishedTask(Task.Status status, boolean isComplete, boolean same) {
    Task task = session.tasks().add("Add a dark mode");
    session.tasks().status(task.id(), StatusChange.to(status));

    Task known = same("Add a dark mode", isComplete);

    assertThat(known != null).isEqualTo(same);
  }

  @Test
  void newestTask_decides() {
    Task first = session.tasks().add("Add a dark mode");
    session.tasks().complete(first.id());
    Task second = session.tasks().add("Add a dark mode\n");

    assertThat(same("Add a dark mode", true)).isNotNull();
    assertThat(same("Add a dark mode", true).id()).isEqualTo(second.id());
    session.tasks().status(second.id(), StatusChange.to(Task.Status.CANCELLED));
    assertThat(same("Add a dark mode", false)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"add a dark mode", "Add a dark mode.", "Add a  dark mode"})
  void otherText_isNewTask(String text) {
    session.tasks().add("Add a dark mode");

    assertThat(same(text, false)).isNull();
  }
}
