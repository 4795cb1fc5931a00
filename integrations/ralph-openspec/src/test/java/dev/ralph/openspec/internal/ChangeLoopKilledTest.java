package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests runs of a change that are killed at any moment, or whose files are edited concurrently. */
@Timeout(300)
class ChangeLoopKilledTest {

  @TempDir Path project;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void haltedRun_reachesIdenticalResult(boolean inAWorkTree) throws Exception {
    HaltingStore whole = new HaltingStore();
    Path folder = Files.createDirectories(project.resolve("whole"));
    String end = workThrough(whole, folder, Integer.MAX_VALUE, inAWorkTree);
    int appends = whole.appends();
    assertThat(appends).isGreaterThan(40);

    for (int at : some(appends, inAWorkTree ? 16 : 4)) {
      Path own = Files.createDirectories(project.resolve("halted-at-" + at));
      assertThat(workThrough(new HaltingStore(), own, at, inAWorkTree))
          .as("halted at append " + at)
          .isEqualTo(end);
    }
  }

  /**
   * Returns the tested append numbers. Runs are slow, most of all with git, so the test selects
   * some at random; {@code -Dralph.halts.every=1} selects all.
   */
  private static int[] some(int appends, int usually) {
    int every = Integer.getInteger("ralph.halts.every", usually);
    int first = ThreadLocalRandom.current().nextInt(every);
    return IntStream.range(0, appends).filter(at -> at % every == first).toArray();
  }

  /** Works through the change with one halt, and returns the final state. */
  private static String workThrough(HaltingStore store, Path own, int haltAt, boolean inAWorkTree)
      throws Exception {
    ChangeLoopTest.makeAChangeIn(own);
    Files.writeString(own.resolve("check.sh"), "test -f mended || { echo sticks; exit 3; }\n");
    if (inAWorkTree) {
      git(own, "init", "--quiet", "-b", "main");
      git(own, "config", "user.name", "Somebody");
      git(own, "config", "user.email", "somebody@example.org");
      git(own, "add", ".");
      git(own, "commit", "--quiet", "-m", "Plan");
    }
    store.halt(haltAt);
    try (Ralph first = store.ralph()) {
      drive(first, own, inAWorkTree);
    } catch (IllegalStateException | RalphException halted) {
      // like a killed program
    }
    store.halt(Integer.MAX_VALUE);
    try (Ralph second = store.ralph()) {
      if (haltAt != Integer.MAX_VALUE) {
        drive(second, own, inAWorkTree);
      }
      ChangeSession work = ChangeSession.list(second, own).get(0);
      StringBuilder end = new StringBuilder();
      end.append(ChangeSession.list(second, own).size()).append(work.hasEnded()).append('\n');
      work.session()
          .tasks()
          .list()
          .forEach(task -> end.append(task.key()).append(task.status()).append('\n'));
      Path root = inAWorkTree ? own.resolve(".ralph/worktrees/add-house") : own;
      Path folder = root.resolve("openspec/changes/add-house");
      end.append(Files.readString(folder.resolve("tasks.md")));
      end.append(Files.readString(folder.resolve("design.md")));
      if (inAWorkTree) {
        assertThat(own.resolve("openspec/changes/add-house/tasks.md"))
            .hasContent(ChangeLoopTest.TASKS);
        assertThat(git(own, "status", "--porcelain")).as("uncommitted files of the user").isEmpty();
        assertThat(git(root, "status", "--porcelain")).as("uncommitted files of the run").isEmpty();
        assertThat(git(root, "log", "--format=%s"))
            .isEqualTo("Record the learnings of add-house\nRoof\nWindows\nDoors\nPlan");
        end.append(git(root, "log", "-p", "--format=%B"));
      }
      return end.toString();
    }
  }

  private static String git(Path folder, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static void drive(Ralph ralph, Path own, boolean inAWorkTree)
      throws InterruptedException {
    ChangeSession held = ChangeSession.open(ralph, own, "add-house", ProcessHandle.current());
    Worktree tree = inAWorkTree ? Worktree.open(own, "add-house") : null;
    Path folder = tree == null ? own : tree.folder();
    Agent agent =
        turn -> {
          if (turn.prompt().contains("sticks")) {
            Files.write(folder.resolve("mended"), new byte[0]);
          }
          Session session = turn.session();
          session.tasks().ready().stream()
              .findFirst()
              .ifPresent(
                  task -> {
                    String learned = "learned at " + task.key();
                    if (session.notes().list().stream()
                        .noneMatch(n -> n.content().equals(learned))) {
                      session.notes().add("learning", learned);
                    }
                    session.tasks().complete(task.id());
                  });
          return AgentResult.success();
        };
    ChangeLoopBuilder loop = ChangeLoop.of(ChangeSession.of(ralph, folder, held.name()), agent);
    if (tree != null) {
      loop.worktree(tree);
    }
    LoopResult result = loop.failurePause(Duration.ofMillis(1)).maxIdle(0).run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  // ---- an agent that takes any assigned task

  /** How the agent finds and completes its next task. */
  private enum Way {
    /** With the tools of the session. */
    CLAIMS,
    /** Ticks the first empty box in the file. */
    TICKS
  }

  /** Completes the next task of any story, and records tasks outside the current story. */
  private static final class Heedless implements Agent {

    private static final Pattern STORY = Pattern.compile("## Story\n(\\d+)\\.");
    private static final Pattern OPEN = Pattern.compile("- \\[ ] (\\S+)");

    private final Way way;
    private final Path folder;
    private final List<String> strays = new CopyOnWriteArrayList<>();
    private final List<String> needless = new CopyOnWriteArrayList<>();

    Heedless(Way way, Path folder) {
      this.way = way;
      this.folder = folder;
    }

    @Override
    public AgentResult run(Turn turn) throws IOException {
      Matcher story = STORY.matcher(turn.prompt());
      assertThat(story.find()).as(turn.prompt()).isTrue();
      boolean refused = turn.prompt().contains("sticks");
      if (refused) {
        Files.write(folder.resolve("mended"), new byte[0]);
        return AgentResult.success();
      }
      String key = way == Way.CLAIMS ? claim(turn) : tick(folder);
      if (key.isEmpty()) {
        needless.add("nothing to do in story " + story.group(1));
      } else if (!key.startsWith(story.group(1) + ".")) {
        strays.add(key + " in story " + story.group(1));
      }
      return AgentResult.success();
    }

    private static String claim(Turn turn) {
      Session session = turn.session();
      Optional<Claim> claim =
          session.tasks().claimNext("agent", Duration.ofMinutes(1), turn.iteration());
      if (claim.isEmpty()) {
        return "";
      }
      Task task = session.tasks().complete(claim.get().taskId());
      return String.valueOf(task.key());
    }

    /** Ticks the first empty box, and returns its task. */
    static String tick(Path folder) throws IOException {
      Path tasks = folder.resolve("openspec/changes/add-house/tasks.md");
      String text = Files.readString(tasks);
      Matcher open = OPEN.matcher(text);
      if (!open.find()) {
        return "";
      }
      Files.writeString(tasks, text.replaceFirst("\\[ ]", "[x]"));
      return open.group(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void haltedRun_assignsNoTaskOutsideStory(Way way) throws Exception {
    HaltingStore whole = new HaltingStore();
    runTwice(whole, Files.createDirectories(project.resolve("whole")), way, Integer.MAX_VALUE);
    int appends = whole.appends();
    assertThat(appends).isGreaterThan(30);
    for (int at : some(appends, 4)) {
      Path own = Files.createDirectories(project.resolve("halted-at-" + at));
      runTwice(new HaltingStore(), own, way, at);
    }
  }

  private static void runTwice(HaltingStore store, Path own, Way way, int haltAt)
      throws IOException {
    ChangeLoopTest.makeAChangeIn(own);
    Files.writeString(own.resolve("check.sh"), "test -f mended || { echo sticks; exit 3; }\n");
    Heedless agent = new Heedless(way, own);
    store.halt(haltAt);
    try (Ralph first = store.ralph()) {
      run(first, own, agent);
    } catch (IllegalStateException | RalphException halted) {
      // like a killed program
    }
    store.halt(Integer.MAX_VALUE);
    try (Ralph second = store.ralph()) {
      if (haltAt != Integer.MAX_VALUE) {
        run(second, own, agent);
      }
      String when = way + ", halted at append " + haltAt;
      assertThat(agent.strays).as(when).isEmpty();
      assertThat(agent.needless).as(when).isEmpty();
      assertAllIsDone(second, own, when);
    }
  }

  @ParameterizedTest
  @EnumSource
  void concurrentTicks_assignNoTaskOutsideStory(Way way) throws Exception {
    int appends = tickedMeanwhile(way, -1);
    for (int at : some(appends, 4)) {
      tickedMeanwhile(way, at);
    }
  }

  /**
   * Works through the change while another thread ticks the story's next box; returns the number of
   * appends.
   */
  private int tickedMeanwhile(Way way, int at) throws IOException {
    Path own = Files.createDirectories(project.resolve("ticked-at-" + at));
    ChangeLoopTest.makeAChangeIn(own);
    HaltingStore store = new HaltingStore();
    Heedless agent = new Heedless(way, own);
    try (Ralph ralph = store.ralph()) {
      ChangeSession work = ChangeSession.open(ralph, own, "add-house", ProcessHandle.current());
      try (ChangeLoop loop = ChangeLoop.of(work, agent).maxIdle(0).build()) {
        store.before(
            at,
            batch -> {
              try {
                // The loop does not read the boxes between its last check and the agent's start.
                boolean agentStarts = batch.drafts().get(0).topic().name().endsWith(".iteration");
                if (!agentStarts && loop.story().filter(story -> !story.isComplete()).isPresent()) {
                  Heedless.tick(own);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
        assertThat(loop.run().reason()).isEqualTo(StopReason.COMPLETED);
      }
      String when = way + ", ticked at append " + at;
      assertThat(agent.strays).as(when).isEmpty();
      assertAllIsDone(ralph, own, when);
      return store.appends();
    }
  }

  private static void run(Ralph ralph, Path own, Agent agent) {
    ChangeSession work = ChangeSession.open(ralph, own, "add-house", ProcessHandle.current());
    LoopResult result =
        ChangeLoop.of(work, agent).failurePause(Duration.ofMillis(1)).maxIdle(0).run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  private static void assertAllIsDone(Ralph ralph, Path own, String when) {
    assertThat(own.resolve("openspec/changes/add-house/tasks.md"))
        .as(when)
        .hasContent(ChangeLoopTest.ALL_TICKED);
    assertThat(ChangeSession.list(ralph, own).get(0).session().tasks().list())
        .as(when)
        .extracting(Task::key, Task::status)
        .containsExactly(
            List.of("1.1", "1.2", "2.1", "3.1", "3.2").stream()
                .map(key -> tuple(key, Task.Status.COMPLETED))
                .toArray(Tuple[]::new));
  }
}
