package dev.ralph.core.internal.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskList;
import dev.ralph.core.internal.view.Replay;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts and selections, against what a look at each task says. */
class TaskListTest {

  private static final Instant NOW = Replay.NOW;
  private static final String[] STATUSES = {
    "remaining", "in_progress", "blocked", "completed", "completed", "cancelled"
  };

  private final Replay<?, Tasks> log = Replay.reading(TaskFold::new);
  private final List<String> ids = new ArrayList<>();

  /** Applies a frame of any kind, sensible or not. */
  private void something(Random random) {
    int kind = random.nextInt(ids.isEmpty() ? 1 : 12);
    String id = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String other = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String third = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String status = STATUSES[random.nextInt(STATUSES.length)];
    switch (kind) {
      case 0, 1, 2 -> {
        String depends =
            ids.isEmpty() || random.nextBoolean() ? "" : ",'depends':['" + other + "']";
        String add = "{'action':'add','priority':" + random.nextInt(5) + depends;
        ids.add(log.frame(add + ",'status':'" + status + "'}", "task " + ids.size()));
      }
      case 3, 4, 5 ->
          log.frame("{'action':'status','id':'" + id + "','status':'" + status + "'}", "");
      case 6, 7 -> {
        Instant until = NOW.plus(Duration.ofMinutes(random.nextInt(60)));
        log.frame("{'action':'claim','id':'" + id + "','owner':'w','until':'" + until + "'}", "");
      }
      case 8 -> log.frame("{'action':'depend','id':'" + id + "','on':'" + other + "'}", "");
      case 9 ->
          log.frame(
              "{'action':'edit','id':'" + id + "','priority':" + random.nextInt(5) + "}", "new");
      case 10 ->
          log.frame(
              "{'action':'edit','id':'" + id + "','depends':['" + other + "','" + third + "']}",
              "");
      default -> log.frame("{'action':'edit','id':'" + id + "','depends':[]}", "");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void countsAndSelectionsAreWhatALookAtEachTaskSays(long seed) {
    Random random = new Random(seed);
    List<Tasks> shown = new ArrayList<>();
    List<List<Task>> looks = new ArrayList<>();
    for (int step = 0; step < 1_500; step++) {
      something(random);
      if (random.nextInt(100) == 0) {
        log.encodeAndDecode();
      }
      if (random.nextInt(25) == 0) {
        shown.add(log.state());
        looks.add(List.copyOf(log.state().list()));
      }
    }
    // Only now: what was shown must not have changed with what came after it.
    for (int i = 0; i < shown.size(); i++) {
      check(shown.get(i), looks.get(i), NOW.plus(Duration.ofMinutes(random.nextInt(60))));
    }
  }

  private static void check(Tasks tasks, List<Task> all, Instant now) {
    assertThat(tasks.all()).isEqualTo(all);
    Predicate<Task> begins =
        task -> task.status() == Status.REMAINING || task.status() == Status.IN_PROGRESS;
    Predicate<Task> ready =
        begins.and(task -> task.awaited().isEmpty() && task.claimAt(now) == null);
    List<Task> readyOnes = new ArrayList<>(all.stream().filter(ready).toList());
    readyOnes.sort(Comparator.comparing(Task::priority).thenComparing(Task::number));
    assertThat(List.copyOf(tasks.ready(now))).isEqualTo(readyOnes);
    assertThat(tasks.nextReady(now))
        .isEqualTo(readyOnes.isEmpty() ? -1 : tasks.find(readyOnes.get(0).id()));
    assertThat(byPlace(tasks.ready(now))).isEqualTo(readyOnes);
    assertThat(tasks.all().waiting(now))
        .isEqualTo(all.stream().filter(begins.and(ready.negate())).toList());
    List<Task> open = all.stream().filter(task -> !task.status().isTerminal()).toList();
    assertThat(tasks.all().open()).isEqualTo(open);
    assertThat(tasks.open()).isEqualTo(open.size());
    assertThat(tasks.openNames(3))
        .isEqualTo(open.stream().limit(3).map(t -> "t" + t.number() + " " + t.content()).toList());
    for (Status status : Status.values()) {
      assertThat(tasks.all().of(status))
          .isEqualTo(all.stream().filter(task -> task.status() == status).toList());
      assertThat(tasks.ready(now).of(status))
          .isEqualTo(readyOnes.stream().filter(task -> task.status() == status).toList());
    }
    assertThat(tasks.all().counts()).isEqualTo(counts(all));
    assertThat(tasks.ready(now).counts()).isEqualTo(counts(readyOnes));
    assertThat(tasks.all().open().of(Status.COMPLETED)).isEmpty();
    assertThat(tasks.all().of(Status.BLOCKED).ready(now)).isEmpty();
  }

  private static List<Task> byPlace(List<Task> tasks) {
    List<Task> all = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      all.add(tasks.get(i));
    }
    return all;
  }

  private static Map<Status, Integer> counts(List<Task> tasks) {
    Map<Status, Integer> counts = new EnumMap<>(Status.class);
    for (Status status : Status.values()) {
      counts.put(status, (int) tasks.stream().filter(task -> task.status() == status).count());
    }
    return counts;
  }

  @Test
  void aListCanNotBeChangedOrReadPastItsEnd() {
    log.frame("{'action':'add'}", "one");
    for (TaskList tasks : List.of(log.state().all(), log.state().ready(NOW))) {
      assertThatThrownBy(() -> tasks.remove(0)).isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> tasks.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> tasks.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
      var iterator = tasks.iterator();
      iterator.next();
      assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void aTaskThatManyWaitForLetsThemAllGo() {
    String first = log.frame("{'action':'add'}", "first");
    for (int i = 0; i < 300; i++) {
      log.frame("{'action':'add','depends':['" + first + "']}", "waits " + i);
    }
    assertThat(log.state().ready(NOW)).hasSize(1);
    log.encodeAndDecode();
    log.frame("{'action':'status','id':'" + first + "','status':'completed'}", "");
    assertThat(log.state().ready(NOW)).hasSize(300);
    log.frame("{'action':'status','id':'" + first + "','status':'remaining'}", "");
    assertThat(log.state().ready(NOW)).hasSize(1);
  }
}
