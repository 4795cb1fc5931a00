package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.task.ListedTasks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build --tasks plan.md} ticks the boxes of completed tasks. */
@Timeout(300)
class PlanTicksTest {

  private static final String PLAN = "# Plan\n- [ ] one\n- [ ] two\n";
  private static final String EDIT = "Edit \\d+\n\n";
  private static final String FIRST_TICKED = "# Plan\n- [x] one\n- [ ] two\n";

  @TempDir Path temporary;
  private Path folder;
  private Path plan;
  private Terminal terminal;

  @BeforeEach
  void emptyProject() throws IOException {
    folder = Files.createDirectory(temporary.toRealPath().resolve("shop"));
    plan = folder.resolve("plan.md");
    terminal = new Terminal(folder).with("RALPH_SESSION", "s");
  }

  private Result build(String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--agent", "true", "-i", "1"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  /** Adds the tasks of the plan, and completes the given tasks. */
  private void completed(String... tasks) {
    Result added = terminal.call("task", "add", "--from", "plan.md");
    assertThat(added.code()).as(added.err()).isZero();
    for (String task : tasks) {
      assertThat(terminal.call("task", "done", task).code()).isZero();
    }
  }

  private String git(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=A", "-c", "user.email=a@localhost"));
    command.addAll(List.of(words));
    Path log = temporary.resolve("git.log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    return Files.readString(log);
  }

  private void repository() throws Exception {
    git("init", "-q", "-b", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@localhost");
    git("add", "--all");
    git("commit", "-q", "--allow-empty", "-m", "Begin");
  }

  @Test
  void tickedPlan_isReported() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1", "t2");

    assertThat(build("--tasks", "plan.md").err()).doesNotContain("are ticked");
    assertThat(build("--tasks", "plan.md").err())
        .contains("ralph: all items of plan.md are ticked");
  }

  @ParameterizedTest
  @CsvSource({
    "'# Plan\n- [x] one\n- [X] two\n', plan.md",
    "'[{\"title\":\"a\",\"passes\":true}]', prd.json"
  })
  void tickedPlanInNewClone_hasNoOpenWork(String text, String name) throws IOException {
    Files.writeString(folder.resolve(name), text);

    Result result = build("--tasks", name);

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains("no open work; to begin, add an open item", name);
    assertThat(folder.resolve(".ralph")).doesNotExist();
    assertThat(build("--tasks", name, "--spec", "missing.md").code()).isEqualTo(1);
    Files.createDirectories(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/SPEC.md"), "Build a shop\n");
    assertThat(build("--tasks", name).code()).isEqualTo(3);
  }

  @Test
  void planWithoutItems_isRefused() throws IOException {
    Files.writeString(plan, "# Plan\n");
    assertThat(build("--tasks", "plan.md").code()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lost", "erased"})
  void taskWithoutContent_doesNotPreventBuild(String state) throws Exception {
    String text = "the first item ".repeat(10_000).strip();
    Files.writeString(plan, "- [ ] " + text + "\n- [ ] two\n");
    completed("t1");
    if (state.equals("erased")) {
      String id = terminal.call("task", "show", "t1", "--json").out().split("\"id\":\"")[1];
      assertThat(terminal.call("erase", id.substring(0, id.indexOf('"'))).code()).isZero();
    } else {
      loseContents();
    }

    Result result = build("--tasks", "plan.md");

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    // An erased task is unknown, so its item is new work.
    assertThat(Files.readString(plan)).startsWith(state.equals("lost") ? "- [x]" : "- [ ]");
    assertThat(terminal.call("tasks").out()).hasLineCount(2);
  }

  @Test
  void lostContentOfOpenTask_isRestored() throws Exception {
    String text = "the first item ".repeat(10_000).strip();
    Files.writeString(plan, "- [ ] " + text + "\n- [ ] two\n");
    completed();
    loseContents();

    Result result = build("--tasks", "plan.md");

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    assertThat(numbersWithout(text)).containsExactly(2);
  }

  private void loseContents() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store/content"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void taskAdd_ticksNothing() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1");
    completed();

    assertThat(plan).hasContent(PLAN);
  }

  /** Only the blank within the box changes: not line ends, indents, marks or other lines. */
  @Test
  void tick_changesSingleByte() throws IOException {
    String text =
        "\ufeff- [ ] one\r\n"
            + "\u3000* [ ]  t\u00fcr\r\n"
            + "```\n- [ ] code\n```\n"
            + "<!-- [ ] -->\n"
            + "12) [ ]\tthree <!-- [ ] note -->  \n"
            + "   - [ ] below [ ]\n"
            + "- [ ] open\n"
            + "- [X] ticked before\n"
            + "- [ ]* optional\n"
            + "- [ ] last";
    Files.writeString(plan, text);
    completed();
    for (int number : numbersWithout("open")) {
      terminal.call("task", "done", "t" + number);
    }

    build("--tasks", "plan.md");

    assertThat(Files.readString(plan))
        .isEqualTo(
            text.replace("- [ ] one", "- [x] one")
                .replace("* [ ]  t", "* [x]  t")
                .replace(") [ ]\tthree", ") [x]\tthree")
                .replace("- [ ] below", "- [x] below")
                .replace("- [ ] last", "- [x] last"));
  }

  /** Returns the numbers of all tasks except the task with a text. */
  private List<Integer> numbersWithout(String text) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      return ralph.session("s").tasks().list().stream()
          .filter(task -> !task.content().equals(text))
          .map(Task::number)
          .toList();
    }
  }

  @Test
  void boxBehindComment_isNotTicked() throws IOException {
    String text = "<!-- [ ] a --> - [ ] one\n<!--\n--> - [ ] two\n";
    Files.writeString(plan, text);
    completed("t1", "t2");

    build("--tasks", "plan.md");

    assertThat(plan).hasContent(text);
  }

  @Test
  void cancelledTask_isNotTicked() throws IOException {
    Files.writeString(plan, PLAN);
    completed();
    terminal.call("task", "cancel", "t1");

    build("--tasks", "plan.md");

    assertThat(plan).hasContent(PLAN);
  }

  @Test
  void movedItem_isFound() throws IOException {
    Files.writeString(plan, "- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n");
    completed("t4");
    Files.writeString(plan, "- [ ] four\n\nText\n- [ ] one\n- [ ] two\n- [ ] three\n");

    build("--tasks", "plan.md");

    assertThat(plan).hasContent("- [x] four\n\nText\n- [ ] one\n- [ ] two\n- [ ] three\n");
  }

  @Test
  void itemEditedBeforeCompletion_isTicked() throws IOException {
    Files.writeString(plan, PLAN);
    completed();
    Files.writeString(plan, "# Plan\n- [ ] one\n- [ ] two, better\n");
    build("--tasks", "plan.md");
    terminal.call("task", "done", "t2");

    build("--tasks", "plan.md");

    assertThat(plan).hasContent("# Plan\n- [ ] one\n- [x] two, better\n");
  }

  @Test
  void editedTask_isTickedByTextOfItem() throws IOException {
    Files.writeString(plan, PLAN);
    completed();
    terminal.call("task", "edit", "t1", "one, better");
    terminal.call("task", "done", "t1");

    build("--tasks", "plan.md");

    assertThat(plan).hasContent(FIRST_TICKED);
  }

  /** A person deletes a completed item, and writes new work in its place. */
  @Test
  void newItemInPlaceOfCompleted_isNotTicked() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1", "t2");
    build("--tasks", "plan.md");
    String edited = "# Plan\n- [x] one\n- [ ] three\n";
    Files.writeString(plan, edited);

    Result result = build("--tasks", "plan.md");

    assertThat(plan).hasContent(edited);
    assertThat(result.err()).contains("t2 is completed, so the edited item 'three' has no effect;");
  }

  @Test
  void noTick_changesNothing() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1");

    Result result = build("--tasks", "plan.md", "--no-tick");

    assertThat(plan).hasContent(PLAN);
    assertThat(result.err()).doesNotContain("tick");
  }

  @Test
  void dryRun_changesNothing() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1");

    build("--tasks", "plan.md", "--dry-run");

    assertThat(plan).hasContent(PLAN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"link.md", "folder/plan.md", "../plan.md"})
  void linkAndForeignFile_areNotTicked(String name) throws IOException {
    Path other = Files.writeString(temporary.toRealPath().resolve("plan.md"), PLAN);
    Files.createSymbolicLink(folder.resolve("link.md"), other);
    Files.createSymbolicLink(folder.resolve("folder"), other.getParent());
    terminal.call("task", "add", "--create", "--from", name);
    terminal.call("task", "done", "t1");

    Result result = build("--tasks", name);

    assertThat(other).hasContent(PLAN);
    assertThat(result.err()).contains("ralph: no box is ticked: ");
  }

  /** An agent could replace the plan by a link to a file of the user. */
  @Test
  void linkPutByAgent_isNotFollowed() throws IOException {
    Path other = Files.writeString(temporary.toRealPath().resolve("other.md"), PLAN);
    Files.writeString(plan, PLAN);
    completed();
    terminal.call("task", "done", "t1");
    Files.writeString(folder.resolve("agent.sh"), "ln -sf ../other.md plan.md\n");

    Result result =
        terminal.call("build", "--agent", "sh agent.sh", "-i", "1", "--tasks", "plan.md");

    assertThat(other).hasContent(PLAN);
    assertThat(result.err()).containsOnlyOnce("is a symbolic link");
  }

  @Test
  void deletedPlan_isReportedOnce() throws IOException {
    Files.writeString(plan, PLAN);
    completed("t1");

    Result result =
        terminal.call("build", "--agent", "rm -f plan.md", "-i", "2", "--tasks", "plan.md");

    assertThat(result.err()).containsOnlyOnce("could not be ticked: the file does not exist");
    assertThat(plan).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "printf '\\377' >>plan.md | not valid UTF-8",
        "rm plan.md; mkfifo plan.md | is a pipe",
        "rm plan.md; mkdir plan.md | is a folder",
      })
  void unusablePlan_isReported(String script, String reason) throws IOException {
    Files.writeString(plan, PLAN);
    completed();
    terminal.call("task", "done", "t1");
    Files.writeString(folder.resolve("agent.sh"), script);

    Result result =
        terminal.call("build", "--agent", "sh agent.sh", "-i", "1", "--tasks", "plan.md");

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    assertThat(result.err()).containsOnlyOnce(reason);
  }

  /** An editor saves by replacing the file, and by rewriting it. */
  @Test
  void planEditedDuringTicks_isTickedInTheEnd() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int item = 1; item <= 20; item++) {
      text.append("- [ ] item ").append(item).append('\n');
    }
    Files.writeString(plan, text);
    completed();
    for (int item = 1; item <= 20; item++) {
      terminal.call("task", "done", "t" + item);
    }
    AtomicBoolean isOver = new AtomicBoolean();
    Thread editor =
        new Thread(
            () -> {
              Path copy = folder.resolve("copy.md");
              for (int edit = 1; !isOver.get(); edit++) {
                try {
                  String now = Files.readString(plan);
                  Files.writeString(copy, "Edit " + edit + "\n\n" + now.replaceAll(EDIT, ""));
                  Files.move(copy, plan, StandardCopyOption.REPLACE_EXISTING);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    editor.start();
    try {
      build("--tasks", "plan.md");
    } finally {
      isOver.set(true);
      editor.join(60_000);
    }

    build("--tasks", "plan.md");

    assertThat(Files.readString(plan).replaceAll(EDIT, ""))
        .isEqualTo(text.toString().replace("[ ]", "[x]"));
  }

  @Test
  void taskCompletedInRun_isTickedInPlace() throws Exception {
    Files.writeString(plan, PLAN);
    repository();

    LoopResult result = run(1);

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(plan).hasContent(PLAN.replace("[ ]", "[x]"));
  }

  @Test
  void mergedTask_isTickedInMergeCommit() throws Exception {
    Files.writeString(plan, PLAN);
    repository();

    LoopResult result = run(2);

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(plan).hasContent(PLAN);
    assertThat(git("show", "ralph/s:plan.md"))
        .startsWith(PLAN.replace("[ ]", "[x]"))
        .contains("- note of one\n", "- note of two\n")
        .hasLineCount(5);
    assertThat(git("show", "ralph/s:done-1")).isEqualTo("one\n");
    assertThat(git("log", "--format=%h", "main..ralph/s", "--", "plan.md")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"untracked", "changed"})
  void uncommittedPlanOfTeam_isTickedInPlace(String state) throws Exception {
    if (state.equals("changed")) {
      Files.writeString(plan, "# Plan\n");
    }
    repository();
    Files.writeString(plan, PLAN);

    LoopResult result = run(2);

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(plan).hasContent(PLAN.replace("[ ]", "[x]"));
    assertThat(git("ls-tree", "--name-only", "ralph/s")).contains("done-1");
  }

  private static void appendNote(Path plan, Task task) throws IOException {
    if (Files.readString(plan).contains("one")) {
      String note = "- note of " + task.content() + "\n";
      Files.writeString(plan, note, StandardOpenOption.APPEND);
    }
  }

  /** Runs a loop over the plan whose agents complete their tasks, and add notes to the plan. */
  private LoopResult run(int agents) throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    Environment environment =
        Environment.of(
            Map.of("GIT_CEILING_DIRECTORIES", temporary.toString()),
            InputStream.nullInputStream(),
            output,
            output,
            folder,
            Terminal.LAUNCHER);
    Arguments arguments =
        Arguments.parse("build", new BuildCommand().syntax(), List.of("--tasks", "plan.md"));
    try (Ralph ralph = Ralph.inMemory();
        Invocation call = new Invocation(environment, arguments)) {
      Session session = ralph.session("s");
      ListedTasks listed = ListedTasks.read(call, "plan.md");
      listed.addTo(session);
      PlanTicks ticks = PlanTicks.of(call, listed, session, null, agents > 1);
      Loop.Builder builder =
          session
              .loop(
                  turn -> {
                    Session own = turn.session();
                    Optional<Claim> claim = own.tasks().claimNext("me", Duration.ofMinutes(5));
                    if (claim.isEmpty()) {
                      return AgentResult.success();
                    }
                    Task task = own.tasks().get(claim.get().taskId());
                    Path done = turn.directory().resolve("done-" + task.number());
                    Files.writeString(done, task.content() + "\n");
                    if (agents > 1 && Files.exists(turn.directory().resolve("plan.md"))) {
                      appendNote(turn.directory().resolve("plan.md"), task);
                    }
                    own.tasks().complete(task.id());
                    return AgentResult.success();
                  })
              .directory(folder)
              .maxIterations(6)
              .doneWhen(now -> true);
      if (agents > 1) {
        builder.agents(agents);
      }
      assertThat(ticks).as(output.toString(StandardCharsets.UTF_8)).isNotNull();
      ticks.addTo(builder);
      return builder.onEvent(ticks::event).build().run();
    }
  }

  @Test
  void workTree_isTicked() throws Exception {
    Files.writeString(plan, PLAN);
    repository();
    completed("t1", "t2");

    Result result = build("--tasks", "plan.md", "--worktree", "--prompt", "Work");

    assertThat(plan).as(result.err()).hasContent(PLAN);
    assertThat(folder.resolve(".ralph/worktrees/s/plan.md")).hasContent(PLAN.replace("[ ]", "[x]"));
  }

  @Test
  void completeWorkTree_commitsTicks() throws Exception {
    Files.writeString(plan, PLAN);
    repository();
    completed("t1", "t2");

    Result result = terminal.call("build", "--agent", "true", "--tasks", "plan.md", "--worktree");

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(git("show", "ralph/s:plan.md")).isEqualTo(PLAN.replace("[ ]", "[x]"));
    assertThat(git("status", "--porcelain", "--untracked-files=no")).isEmpty();
  }

  @Test
  void untrackedPlan_isTickedInCheckout() throws Exception {
    repository();
    Files.writeString(plan, PLAN);
    completed("t1");

    build("--tasks", "plan.md", "--worktree");

    assertThat(plan).hasContent(FIRST_TICKED);
  }
}
