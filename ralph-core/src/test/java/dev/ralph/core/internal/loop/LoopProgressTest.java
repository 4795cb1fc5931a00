package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.core.internal.loop.run.WorkFolder;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.log.StoreInfo;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop ends if its agent makes no progress. */
@Timeout(120)
class LoopProgressTest extends LoopFixture {

  private static final Agent IDLE = turn -> AgentResult.success();

  @Test
  void fiveIdleIterations_endTheLoop() {
    LoopResult result = loop(IDLE).run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).isEqualTo(5);
    assertThat(result.detail())
        .isEqualTo(
            "nothing has changed in 5 iterations: no task, note, message or question of the"
                + " session, no commit, no file");
  }

  @Test
  void idleIterations_warnTheAgentAndWaitLonger() {
    loop(IDLE).failurePause(Duration.ofSeconds(1)).maxIdle(4).run();

    assertThat(prompts).hasSize(4);
    assertThat(prompts.get(1)).doesNotContain("NO PROGRESS");
    assertThat(prompts.get(2)).contains("## NO PROGRESS", "Nothing has changed in the last 2 iter");
    assertThat(prompts.get(2)).contains("The loop ends after 4 such iterations");
    assertThat(events.stream().filter(event -> event.type() == LoopEvent.Type.WAITING))
        .extracting(event -> event.data().json())
        .containsExactly(
            "{\"reason\":\"no_progress\",\"millis\":1000}",
            "{\"reason\":\"no_progress\",\"millis\":2000}");
  }

  @Test
  void repeatedlyRefusedClaims_areNoProgress() {
    LoopResult result =
        loop(turn -> {
              turn.session().control().complete();
              return AgentResult.success();
            })
            .gate(Gate.of("false"))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).isEqualTo(5);
    assertThat(prompts.get(2)).contains("COMPLETION REFUSED", "## NO PROGRESS");
  }

  @Test
  void grantedClaim_takesPrecedenceOverNoProgress() {
    LoopResult result = loop(in(5, turn -> turn.session().control().complete())).maxIdle(5).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void maxIdleZero_disablesTheProgressLimit() {
    LoopResult result = loop(IDLE).maxIdle(0).maxIterations(12).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(types()).doesNotContain(LoopEvent.Type.WAITING);
  }

  @Test
  void defaultLimit_isFiftyIterations() {
    Agent busy =
        turn -> {
          turn.session().notes().add("tip", "n" + turn.iteration(), turn.iteration());
          return AgentResult.success();
        };
    session.tasks().add("one");
    session.tasks().add("two");

    LoopResult result = loop(busy).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(result).hasToString("max_iterations after 50 iterations: 2 tasks left");
  }

  @Test
  void anyWriteToTheSession_isProgress() {
    session.tasks().add("one");
    session.inbox().send("hello");
    Map<String, Consumer<Session>> deeds =
        Map.of(
            "task", s -> s.tasks().add("more"),
            "note", s -> s.notes().add("tip", "n", 1),
            "message", s -> s.inbox().markRead("m1"),
            "question", s -> s.questions().ask("Which port?", "agent", 0));
    deeds.forEach(
        (what, deed) -> {
          LoopResult result = loop(in(3, turn -> deed.accept(turn.session()))).run();
          assertThat(result.iterations()).as(what).isEqualTo(8);
        });
  }

  /** Returns an agent that acts in one iteration of its run and is idle in the others. */
  private static Agent in(int iteration, Consumer<Turn> deed) {
    AtomicInteger turns = new AtomicInteger();
    return turn -> {
      if (turns.incrementAndGet() == iteration) {
        deed.accept(turn);
      }
      return AgentResult.success();
    };
  }

  @Test
  void changedFile_isProgress() throws Exception {
    Path file = folder.resolve("src/file");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "one");

    assertThat(loop(in(3, turn -> write(file, "three"))).run().iterations()).isEqualTo(8);
    assertThat(loop(in(3, turn -> write(folder.resolve("new"), ""))).run().iterations())
        .isEqualTo(8);
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void git(String... arguments) {
    try {
      List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
      command.addAll(List.of("-c", "user.name=n", "-c", "user.email=e@example.org"));
      command.addAll(List.of(arguments));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void gitChanges_areProgressButIgnoredFilesAreNot() {
    git("init", "-q");
    write(folder.resolve(".gitignore"), "ignored\n");
    Path file = folder.resolve("file");
    write(file, "one");
    git("add", "-A");
    git("commit", "-q", "-m", "first");

    Map<String, Consumer<Turn>> deeds =
        Map.of(
            "commit", turn -> git("commit", "-q", "--allow-empty", "-m", "second"),
            "branch", turn -> git("branch", "other"),
            "changed file", turn -> write(file, "two"),
            "new file", turn -> write(folder.resolve("new"), "x"));
    deeds.forEach(
        (what, deed) -> assertThat(loop(in(3, deed)).run().iterations()).as(what).isEqualTo(8));
    assertThat(loop(in(3, turn -> write(file, "three, again"))).run().iterations())
        .as("a file with earlier changes")
        .isEqualTo(8);
    assertThat(loop(in(3, turn -> write(folder.resolve("ignored"), "x"))).run().iterations())
        .isEqualTo(5);
  }

  /** In the C locale, which services often have, Java can't represent every file name. */
  @Test
  void unnameableFile_doesNotEndTheLoop() throws Exception {
    git("init", "-q");
    write(folder.resolve("w\u00fcrfel"), "x");
    Path said = folder.resolve("said");
    Path classes = Files.createDirectory(folder.resolve("classes"));
    List<String> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path link = classes.resolve("entry" + path.size());
      path.add("" + Files.createSymbolicLink(link, Path.of(entry).toAbsolutePath()));
    }
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                IdleLoop.class.getName(),
                "" + folder)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("CLASSPATH", String.join(File.pathSeparator, path));
    builder.start().waitFor();

    assertThat(said).content(StandardCharsets.ISO_8859_1).isEqualTo("max_iterations\n");
  }

  /** A separate program, which runs in its own locale. */
  static final class IdleLoop {
    public static void main(String[] args) {
      try (Ralph ralph = Ralph.inMemory();
          Loop loop =
              ralph.session("s").loop(IDLE).directory(Path.of(args[0])).maxIterations(2).build()) {
        System.out.println(loop.run().reason().word());
      }
    }
  }

  @Test
  void storeInFolder_isNoProgress() {
    Path store = folder.resolve("store");
    WorkFolder watched =
        new WorkFolder(
            folder, new StoreInfo("id", "file", "file:" + store, Set.of(), 8 << 20, 100));
    for (boolean inWorkTree : new boolean[] {false, true}) {
      if (inWorkTree) {
        git("init", "-q");
      }
      Optional<Long> before = watched.digest();
      write(store, "frames " + inWorkTree);
      assertThat(watched.digest()).isPresent().isEqualTo(before);
      write(folder.resolve("file"), "more " + inWorkTree);
      assertThat(watched.digest()).isPresent().isNotEqualTo(before);
    }
  }

  @Test
  void gitCeiling_limitsTheObservedFolder() throws Exception {
    git("init", "-q");
    Path ceiling = Files.createDirectory(folder.resolve("ceiling"));
    Path project = Files.createDirectory(ceiling.resolve("project"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), ceiling);
    StoreInfo store = new StoreInfo("id", "memory", "memory:", Set.of(), 8 << 20, 100);
    WorkFolder free = new WorkFolder(project, store, GitCeilings.of(null));
    List<WorkFolder> ended =
        List.of(
            new WorkFolder(project, store, GitCeilings.of("/nowhere::relative:" + ceiling)),
            new WorkFolder(project, store, GitCeilings.of("" + link)));
    Optional<Long> whole = free.digest();
    List<Optional<Long>> before = ended.stream().map(WorkFolder::digest).toList();

    write(folder.resolve("other"), "the work of another");

    assertThat(free.digest()).isPresent().isNotEqualTo(whole);
    assertThat(ended.stream().map(WorkFolder::digest).toList()).isEqualTo(before);
    write(project.resolve("own"), "work");
    assertThat(ended.stream().map(WorkFolder::digest).toList()).doesNotContainAnyElementsOf(before);
  }

  @Test
  void gitCeiling_doesNotHideTheFolderItself() {
    git("init", "-q");
    write(folder.resolve(".gitignore"), "ignored\n");
    StoreInfo store = new StoreInfo("id", "memory", "memory:", Set.of(), 8 << 20, 100);
    WorkFolder watched = new WorkFolder(folder, store, GitCeilings.of("" + folder));
    Optional<Long> before = watched.digest();

    write(folder.resolve("ignored"), "x");

    assertThat(watched.digest()).isPresent().isEqualTo(before);
  }

  @Test
  void storeBehindALink_isNoProgress() throws Exception {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    Path store = Files.createDirectory(real.resolve("store"));
    for (Path opened : List.of(store, link.resolve("store"))) {
      for (Path worked : List.of(real, link)) {
        WorkFolder watched =
            new WorkFolder(
                worked, new StoreInfo("id", "file", "file:" + opened, Set.of(), 8 << 20, 100));
        Optional<Long> before = watched.digest();
        write(store.resolve("log"), worked + " " + opened);
        assertThat(watched.digest()).isPresent().isEqualTo(before);
      }
    }
  }

  @Test
  void tooLargeFolder_countsAsChanged() throws Exception {
    for (int i = 0; i < 20_001; i++) {
      Files.createFile(folder.resolve("f" + i));
    }
    assertThat(loop(IDLE).maxIterations(6).run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void tooLargeFolder_isScannedOnlyOnce() throws Exception {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 20_001; i++) {
      files.add(Files.createFile(folder.resolve("f" + i)));
    }
    WorkFolder watched = new WorkFolder(folder, ralph.log().info());
    for (int i = 0; i < 3; i++) {
      assertThat(watched.digest()).isEmpty();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    assertThat(watched.digest()).isEmpty();
  }

  @Test
  void maxIdle_mayBeASingleIteration() {
    assertThat(loop(IDLE).maxIterations(1).maxIdle(1).run().reason())
        .isEqualTo(StopReason.NO_PROGRESS);
    assertThat(loop(IDLE).maxIterations(1).run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void failedIteration_isNotCountedAsIdle() {
    AtomicInteger turns = new AtomicInteger();
    Agent agent =
        turn ->
            turns.incrementAndGet() % 2 == 0 ? AgentResult.failure("no") : AgentResult.success();

    LoopResult result = loop(agent).run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).isEqualTo(9);
  }

  @Test
  void message_endsTheWaitForProgress() {
    LoopResult result =
        loop(turn -> {
              turn.session().inbox().unread().forEach(m -> turn.session().inbox().markRead(m.id()));
              return AgentResult.success();
            })
            .failurePause(Duration.ofMinutes(10))
            .maxIterations(3)
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.WAITING) {
                    new Thread(() -> session.inbox().send(NewMessage.of("go on"))).start();
                  }
                })
            .run();

    assertThat(result.iterations()).isEqualTo(3);
    assertThat(prompts.get(2)).contains("go on");
  }

  @Test
  void templateWithoutInbox_startsWithTheMessages() {
    session.inbox().send("Listen");

    loop(IDLE).template("Just do {{tasks}}").maxIterations(1).run();
    loop(IDLE).prompt("Just do {{tasks}}").maxIterations(1).run();

    assertThat(prompts)
        .hasSize(2)
        .allSatisfy(
            prompt -> assertThat(prompt).startsWith("## INBOX").contains("Listen", "\n\nJust do"));
    assertThat(types()).doesNotContain(LoopEvent.Type.NOTICE);
  }
}
