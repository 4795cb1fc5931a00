package dev.ralph.core.internal.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Claim;
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

/** Counts and selections of tasks, compared with the results of a scan of all tasks. */
class TaskListTest {

  private static final Instant NOW = Replay.NOW;
  private static final String[] STATUSES = {
    "remaining", "in_progress", "blocked", "completed", "completed", "cancelled"
  };

  private final Replay<?, Tasks> log = Replay.reading(TaskFold::new);
  private static final String[] FOLDERS = {"a", "b", "c/x", "c/y", "d/*", "e/**", "e/z"};

  private final List<String> ids = new ArrayList<>();

  /** The tokens of the newest and of earlier claims of all tasks. */
  private final List<String> tokens = new ArrayList<>();

  /** Applies a random frame, valid or not. */
  private void something(Random random) {
    int kind = random.nextInt(ids.isEmpty() ? 1 : 19);
    String id = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String other = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String third = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
    String status = STATUSES[random.nextInt(STATUSES.length)];
    switch (kind) {
      case 0, 1, 2 -> {
        String depends =
            ids.isEmpty() || random.nextBoolean() ? "" : ",'depends':['" + other + "']";
        String touches =
            random.nextInt(4) > 0
                ? ""
                : ",'touches':['" + FOLDERS[random.nextInt(FOLDERS.length)] + "']";
        String add = "{'action':'add','priority':" + random.nextInt(5) + depends + touches;
        ids.add(log.frame(add + ",'status':'" + status + "'}", "task " + ids.size()));
      }
      case 3, 4, 5 ->
          log.frame("{'action':'status','id':'" + id + "','status':'" + status + "'}", "");
      case 6, 7 -> {
        Instant until = NOW.plus(Duration.ofMinutes(random.nextInt(60)));
        String branch = random.nextBoolean() ? "" : ",'branch':'x'";
        String claim = "{'action':'claim','id':'" + id + "','owner':'w','until':'" + until + "'";
        tokens.add(log.frame(claim + branch + "}", ""));
      }
      case 12, 13 -> // completed under the newest claim, more often than at random
          log.frame(
              "{'action':'status','id':'%s','status':'completed','claim':'%s'}"
                  .formatted(id, newestToken(id, other)),
              "");
      case 14, 15 -> {
        String merged =
            "{'action':'landed','id':'%s','claim':'%s'".formatted(id, newestToken(id, ""));
        log.frame(
            merged + (random.nextBoolean() ? "}" : ",'commit':'c" + random.nextInt(9) + "'}"), "");
      }
      case 16, 17 -> {
        String token = tokens.isEmpty() ? "" : tokens.get(random.nextInt(tokens.size()));
        String action = random.nextBoolean() ? "landed" : "release";
        log.frame("{'action':'%s','id':'%s','claim':'%s'}".formatted(action, id, token), "");
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

  private String newestToken(String id, String otherwise) {
    Claim newest = log.state().get(id).claim();
    return newest == null ? otherwise : newest.token();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void countsAndSelections_matchEachTask(long seed) {
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
    // Checked at the end, because later frames must not change earlier states.
    for (int i = 0; i < shown.size(); i++) {
      check(shown.get(i), looks.get(i), NOW.plus(Duration.ofMinutes(random.nextInt(60))));
    }
  }

  private static void check(Tasks tasks, List<Task> all, Instant now) {
    assertThat(tasks.all()).isEqualTo(all);
    Predicate<Task> begins =
        task -> task.status() == Status.REMAINING || task.status() == Status.IN_PROGRESS;
    List<Task> busy =
        all.stream().filter(task -> task.claimAt(now) != null || isDoneOnABranch(task)).toList();
    Predicate<Task> ready =
        begins.and(
            task ->
                task.awaited().isEmpty()
                    && task.claimAt(now) == null
                    && busy.stream()
                        .noneMatch(other -> PathPatterns.overlap(task.touches(), other.touches())));
    for (Task task : all) {
      boolean isOver = task.status().isTerminal();
      List<Integer> awaited =
          task.dependencies().stream()
              .map(id -> all.get(tasks.find(id)))
              .filter(other -> !other.isSettled() && other.status() != Status.CANCELLED)
              .map(Task::number)
              .toList();
      assertThat(task.awaited()).extracting(Task::number).isEqualTo(isOver ? List.of() : awaited);
    }
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
    List<Task> toMerge = all.stream().filter(TaskListTest::isDoneOnABranch).toList();
    assertThat(tasks.all().toMerge()).isEqualTo(toMerge);
    assertThat(tasks.areSettled()).isEqualTo(open.isEmpty() && toMerge.isEmpty());
    assertThat(tasks.names(open, 3))
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

  /**
   * A task is merged once, under the claim of its completion; no other frame marks it as merged.
   * The test computes the expected state from the frames by simpler rules.
   */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void task_isMergedOnceUnderItsClaim(long seed) {
    Random random = new Random(seed);
    String id = log.frame("{'action':'add'}", "one");
    String token = "";
    String held = "";
    boolean branch = false;
    String waits = "";
    int mergeCount = 0;
    for (int step = 0; step < 3_000; step++) {
      boolean wrong = random.nextInt(3) == 0;
      switch (random.nextInt(5)) {
        case 0 -> {
          boolean on = random.nextBoolean();
          String claim =
              log.frame(
                  "{'action':'claim','id':'%s','owner':'w','until':'%s'%s}"
                      .formatted(id, NOW.plusSeconds(60), on ? ",'branch':'b'" : ""),
                  "");
          if (!log.state().get(id).status().isTerminal()) {
            token = claim;
            held = claim;
            branch = on;
          }
        }
        case 1 -> {
          boolean isTold = random.nextBoolean();
          String told = wrong ? "invented" : token;
          boolean isHeard = !isTold || told.equals(held) && !held.isEmpty();
          log.frame(
              "{'action':'status','id':'%s','status':'completed'%s}"
                  .formatted(id, isTold ? ",'claim':'" + told + "'" : ""),
              "");
          if (isHeard && branch && !held.isEmpty()) {
            waits = token;
          }
          held = isHeard ? "" : held;
        }
        case 2 -> {
          String told = wrong ? "invented" : token;
          Task before = log.state().get(id);
          log.frame(
              "{'action':'landed','id':'%s','claim':'%s','commit':'c'}".formatted(id, told), "");
          boolean merges = !waits.isEmpty() && told.equals(waits);
          assertThat(log.state().get(id).isSettled()).isEqualTo(merges || before.isSettled());
          waits = merges ? "" : waits;
          mergeCount += merges ? 1 : 0;
        }
        case 3 -> {
          if (random.nextInt(3) == 0) {
            log.frame("{'action':'status','id':'%s','status':'remaining'}".formatted(id), "");
            held = "";
            waits = "";
            branch = branch && log.state().get(id).branch() != null;
          }
        }
        default -> log.encodeAndDecode();
      }
      assertThat(isDoneOnABranch(log.state().get(id))).isEqualTo(!waits.isEmpty());
    }
    assertThat(mergeCount).isGreaterThan(20);
  }

  private static boolean isDoneOnABranch(Task task) {
    return task.status() == Status.COMPLETED && !task.isSettled();
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
  void list_isUnmodifiableAndChecksItsBounds() {
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
  void completedDependency_makesManyTasksReady() {
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
