package dev.ralph.core.internal.process;

import static dev.ralph.core.internal.process.Running.SOON;
import static dev.ralph.core.internal.process.Running.isLive;
import static dev.ralph.core.internal.process.Running.owner;
import static dev.ralph.core.internal.process.Running.sh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.Running.Lines;
import dev.ralph.log.StoreInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Lookup of processes by the mark in their environment. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ProcessMarkTest {

  private final ProcessMark session = ProcessMark.unique();
  private final Lines lines = new Lines();

  @AfterEach
  void nothingIsLeft() {
    session.endAll(Duration.ZERO);
    assertThat(Running.ourThreads()).isEmpty();
  }

  @Test
  void unique_givesDifferentMarks() {
    assertThat(ProcessMark.unique()).isNotEqualTo(ProcessMark.unique());
    assertThat(ProcessMark.of(session.text())).isEqualTo(session);
  }

  @Test
  void mark_isUsedOnceItsTextIsRead() {
    ProcessMark read = ProcessMark.unique();
    assertThat(read.isUsed()).isFalse();
    assertThat(read.find()).isEmpty();
    assertThat(read.isUsed()).isFalse();
    assertThat(read.text()).isNotEmpty();
    assertThat(read.isUsed()).isTrue();

    ProcessMark written = ProcessMark.of("a");
    assertThat(ProcessMark.append("b", List.of(written))).isEqualTo("b;a");
    assertThat(written.isUsed()).isTrue();

    ProcessMark loop = ofLoops("memory");
    ProcessMark agent = loop.ofAgent(1);
    assertThat(loop.isUsed()).isFalse();
    assertThat(agent.text()).isEqualTo("ralph:id:auth/1");
    assertThat(loop.isUsed()).isTrue();
    assertThat(loop.ofAgent(2).isUsed()).isTrue();
  }

  /**
   * A copied store has the same id, but its loops must not end the agents of the original store.
   */
  @Test
  void markOfLoops_dependsOnTheFolder(@TempDir Path folder) throws Exception {
    Path store = Files.createDirectory(folder.resolve("store"));
    Path copy = Files.createDirectory(folder.resolve("copy"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    ProcessMark mark = ofLoops("" + store);

    assertThat(ofLoops("chronicle:" + link.resolve("store"))).isEqualTo(mark);
    assertThat(ofLoops("" + copy)).isNotEqualTo(mark);
    Path moved = Files.move(store, folder.resolve("moved"));
    assertThat(ofLoops("" + moved)).isEqualTo(mark);
    assertThat(ofLoops("memory")).hasToString("ralph:id:auth");
  }

  private static ProcessMark ofLoops(String location) {
    StoreInfo store = new StoreInfo("id", "file", location, Set.of(), 8 << 20, 100);
    return ProcessMark.ofLoops(store, "auth");
  }

  @Test
  void marksOfOuterOwners_areKept() {
    List<ProcessMark> marks = List.of(ProcessMark.of("b"), ProcessMark.of("a"));
    assertThat(ProcessMark.append("a;x", marks)).isEqualTo("a;x;b");
    assertThat(ProcessMark.append("", marks)).isEqualTo("b;a");
    assertThat(ProcessMark.append(null, marks)).isEqualTo("b;a");
  }

  @Test
  void find_matchesTheWholeMark() throws Exception {
    ProcessMark longer = ProcessMark.of(session.text() + "0");
    try (ManagedProcess process =
            ManagedProcess.start(ProcessSpec.command("sleep", "1000").mark(session).build());
        ManagedProcess other =
            ManagedProcess.start(ProcessSpec.command("sleep", "1000").mark(longer).build())) {
      Running.await("both", () -> !session.find().isEmpty() && !longer.find().isEmpty());

      assertThat(session.find()).extracting(ProcessHandle::pid).containsExactly(process.pid());
      assertThat(process.mark().find()).hasSize(1);
      assertThat(longer.find()).extracting(ProcessHandle::pid).containsExactly(other.pid());
    }
    assertThat(session.find()).isEmpty();
  }

  @Test
  void endedProcess_sparesProcessesWithTheSameMark() throws Exception {
    ProcessSpec spec = ProcessSpec.command("sleep", "1000").mark(session).build();
    try (ManagedProcess server = ManagedProcess.start(spec)) {
      ManagedProcess.start(spec).close();

      assertThat(isLive(server.pid())).isTrue();
    }
  }

  @Test
  void outerMark_findsProcessesOfNestedOwner() throws Exception {
    ProcessMark inner = ProcessMark.unique();
    ProcessSpec spec = owner("own", inner.text()).mark(session).onStdout(lines::add).build();
    try (ManagedProcess nested = ManagedProcess.start(spec)) {
      long child = lines.nextPid();

      assertThat(inner.find()).extracting(ProcessHandle::pid).contains(child);
      assertThat(session.find()).containsAll(inner.find()).hasSizeGreaterThan(inner.find().size());

      nested.terminate(SOON);
      assertThat(inner.find()).isEmpty();
    }
  }

  @Test
  void orphansOfKilledOwner_areEnded() throws Exception {
    // Started without ManagedProcess, which would also end the children of the owner.
    ProcessSpec command = owner("own", session.text()).build();
    Process owner = new ProcessBuilder(command.arguments()).start();
    long child;
    long shell;
    try (var out = owner.inputReader()) {
      child = Long.parseLong(out.readLine());
      shell = Long.parseLong(out.readLine());
    } finally {
      owner.destroyForcibly().waitFor();
    }
    assertThat(isLive(child)).isTrue();
    assertThat(isLive(shell)).isTrue();
    Running.await("the daemon", () -> session.find().size() >= 3);

    List<Long> ended = session.endAll(Duration.ofSeconds(5));

    assertThat(ended).contains(child, shell).hasSizeGreaterThanOrEqualTo(3).doesNotHaveDuplicates();
    assertThat(ended).noneMatch(Running::isLive);
    assertThat(session.endAll(Duration.ZERO)).isEmpty();
  }

  @Test
  void unmarkedChild_endsWithItsMarkedParent() throws Exception {
    ProcessSpec spec =
        sh("env -i sleep 1000 & echo $!; wait").mark(session).onStdout(lines::add).build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      long child = lines.nextPid();

      assertThat(session.endAll(Duration.ofSeconds(5))).contains(child, process.pid());

      assertThat(isLive(child)).isFalse();
    }
  }

  @Test
  void endAll_sparesItselfAndItsAncestors() throws Exception {
    // The shell and the JVM below it have the mark, and the JVM ends all processes with the mark.
    String java = "\"$0\" \"$@\" & wait $!; echo shell lives";
    List<String> command = new ArrayList<>(List.of("sh", "-c", java));
    command.addAll(owner("end-own-mark", session.text()).build().arguments());
    ProcessSpec spec = ProcessSpec.command(command).mark(session).onStdout(lines::add).build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      assertThat(lines.next()).isEqualTo("found 0");
      assertThat(lines.next()).isEqualTo("ended 0");
      assertThat(lines.next()).isEqualTo("shell lives");
      assertThat(process.await(SOON)).get().matches(ProcessExit::isSuccess);
    }
  }

  @Test
  void environment_isNullForMissingProcess() {
    assertThat(Procfs.environment(Long.MAX_VALUE)).as("no such process").isNull();
    assertThat(Procfs.environment(ProcessHandle.current().pid())).isNotEmpty();
  }

  @Test
  void emptyEnvironment_isReportedAfterSomeAttempts() throws Exception {
    try (ManagedProcess process =
        ManagedProcess.start(sh("exec env -i sleep 1000").mark(session).build())) {
      Running.await(
          "the exec",
          () ->
              Objects.equals(Procfs.environment(process.pid()), "")
                  && ProcessHandle.of(process.pid())
                      .flatMap(p -> p.info().command())
                      .filter(
                          c ->
                              c.endsWith("sleep")
                                  || c.endsWith("coreutils")
                                  || c.endsWith("busybox"))
                      .isPresent());

      List<ProcessHandle> found = new ArrayList<>();
      assertThat(session.find(found)).as("all environments were read").isFalse();
      assertThat(found).isEmpty();
    }
  }

  @Test
  void interruptedThread_stillEndsOrphans() throws Exception {
    try (ManagedProcess process =
        ManagedProcess.start(ProcessSpec.command("sleep", "1000").mark(session).build())) {
      Running.await("the process", () -> !session.find().isEmpty());
      Thread.currentThread().interrupt();

      assertThat(session.endAll(SOON)).containsExactly(process.pid());

      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
