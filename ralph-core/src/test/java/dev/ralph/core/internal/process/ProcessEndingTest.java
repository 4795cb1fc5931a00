package dev.ralph.core.internal.process;

import static dev.ralph.core.internal.process.Running.SOON;
import static dev.ralph.core.internal.process.Running.isLive;
import static dev.ralph.core.internal.process.Running.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.process.ProcessExit.Reason;
import dev.ralph.core.internal.process.Running.Lines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Ending a process ends all of its descendants. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ProcessEndingTest {

  private static final Duration LONG_GRACE = Duration.ofSeconds(60);

  @TempDir Path dir;

  private final Lines lines = new Lines();

  @AfterEach
  void noThreadIsLeft() {
    assertThat(Running.ourThreads()).isEmpty();
  }

  @Test
  void exit_reportsCodeAndDuration() throws Exception {
    try (ManagedProcess process = ManagedProcess.start(sh("exit 3").build())) {
      ProcessExit exit = process.await(SOON).orElseThrow();

      assertThat(exit.code()).isEqualTo(3);
      assertThat(exit.reason()).isEqualTo(Reason.EXITED);
      assertThat(exit.isSuccess()).isFalse();
      assertThat(exit.duration()).isPositive().isLessThan(SOON);
      assertThat(process.isRunning()).isFalse();
    }
  }

  @Test
  void foreignSignal_isReportedAsExit() throws Exception {
    try (ManagedProcess process = ManagedProcess.start(sh("kill -9 $$").build())) {
      ProcessExit exit = process.await(SOON).orElseThrow();

      assertThat(exit.code()).isEqualTo(137);
      assertThat(exit.reason()).isEqualTo(Reason.EXITED);
    }
  }

  @Test
  void timedOutWait_endsNothing() throws Exception {
    try (ManagedProcess process = ManagedProcess.start(sh("exec sleep 1000").build())) {
      assertThat(process.await(Duration.ofMillis(50))).isEmpty();
      assertThat(process.await(Duration.ZERO)).isEmpty();
      assertThat(isLive(process.pid())).isTrue();
      assertThat(process.isRunning()).isTrue();
    }
  }

  @Test
  void timeout_isReported() throws Exception {
    try (ManagedProcess process = ManagedProcess.start(sh("exec sleep 1000").build())) {
      ProcessExit exit = process.awaitOrTerminate(Duration.ofMillis(50), LONG_GRACE);

      assertThat(exit.reason()).isEqualTo(Reason.TIMED_OUT);
      assertThat(exit.code()).isEqualTo(143);
      assertThat(isLive(process.pid())).isFalse();
    }
  }

  @Test
  void leavesNothing_skipsTheSearchForLeftovers() throws Exception {
    String script = "sleep 1000 >/dev/null 2>&1 & echo $!";
    ProcessSpec.Builder ends = sh(script).leavesNothing().onStdout(lines::add);
    try (ManagedProcess process = ManagedProcess.start(ends.build())) {
      assertThat(process.await(SOON)).isPresent();
    }
    ProcessHandle left = ProcessHandle.of(lines.nextPid()).orElseThrow();
    assertThat(left.isAlive()).isTrue();
    left.destroyForcibly();

    ProcessSpec.Builder ended =
        sh(script + "; exec sleep 1000").leavesNothing().onStdout(lines::add);
    try (ManagedProcess process = ManagedProcess.start(ended.build())) {
      long child = lines.nextPid();
      process.terminate(LONG_GRACE);
      assertThat(isLive(child)).isFalse();
    }
  }

  @Test
  void processHandlingSigterm_exitsByItself() throws Exception {
    try (ManagedProcess process =
        start("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done")) {
      lines.next();

      ProcessExit exit = process.terminate(LONG_GRACE);

      assertThat(exit.code()).isEqualTo(7);
      assertThat(exit.reason()).isEqualTo(Reason.TERMINATED);
      assertThat(lines.next()).isEqualTo("bye");
    }
  }

  @Test
  void cleanUpChild_isNotTerminated() throws Exception {
    try (ManagedProcess process =
        start(
            "trap 'sleep 1 && echo cleaned; exit' TERM; echo ready;"
                + " while :; do sleep 0.05; done")) {
      lines.next();

      process.terminate(LONG_GRACE);

      assertThat(lines.next()).isEqualTo("cleaned");
    }
  }

  @Test
  void cleanUpChild_isKilledAfterTheGrace() throws Exception {
    try (ManagedProcess process =
        start("trap 'sh -c \"echo \\$\\$; exec sleep 1000\"' TERM; echo ready; sleep 1000")) {
      lines.next();

      process.terminate(Duration.ofSeconds(5));

      assertThat(isLive(lines.nextPid())).isFalse();
    }
  }

  @Test
  void processIgnoringSigterm_isKilled() throws Exception {
    try (ManagedProcess process = start("trap '' TERM; echo ready; while :; do sleep 0.05; done")) {
      lines.next();

      ProcessExit exit = process.terminate(Duration.ofMillis(100));

      assertThat(exit.code()).isEqualTo(137);
      assertThat(isLive(process.pid())).isFalse();
    }
  }

  @Test
  void stoppedProcess_isKilled() throws Exception {
    try (ManagedProcess process = start("kill -STOP $$; sleep 1000")) {
      Path stat = Path.of("/proc/" + process.pid() + "/stat");
      Running.await("the stop", () -> read(stat).contains(") T "));

      assertThat(process.terminate(Duration.ofMillis(100)).code()).isEqualTo(137);
    }
  }

  @Test
  void parent_isTerminatedBeforeItsChild() throws Exception {
    Path witness = dir.resolve("witness");
    // If only the child were ended, the shell would run the next command.
    ProcessSpec.Builder spec =
        sh("echo ready; sleep 1000; touch \"$WITNESS\"").environment("WITNESS", witness.toString());
    try (ManagedProcess process = ManagedProcess.start(spec.onStdout(lines::add).build())) {
      lines.next();
      Running.await("sleep", () -> process(process.pid()).children().count() == 1);
      process.terminate(LONG_GRACE);
    }
    assertThat(Files.exists(witness)).isFalse();
  }

  @Test
  void childHoldingTheOutput_isEnded() throws Exception {
    try (ManagedProcess process = start("sleep 1000 & echo $!; exit 3")) {
      ProcessExit exit = process.await(SOON).orElseThrow();

      assertThat(exit.code()).isEqualTo(3);
      assertThat(exit.reason()).isEqualTo(Reason.EXITED);
      assertThat(exit.outputComplete()).isTrue();
      assertThat(isLive(lines.nextPid())).isFalse();
    }
  }

  @Test
  void childFloodingTheOutput_isEnded() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    ProcessSpec spec = sh("(trap '' TERM; exec yes) & exit 0").onStdout(seen::add).build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      assertThat(process.await(SOON)).get().matches(ProcessExit::isSuccess);
      assertThat(process.mark().find()).isEmpty();
    }
  }

  @Test
  void childInItsOwnSession_isEnded() throws Exception {
    try (ManagedProcess process = start("setsid sleep 1000 & echo $!; wait")) {
      long child = lines.nextPid();

      process.terminate(LONG_GRACE);

      assertThat(isLive(child)).isFalse();
    }
  }

  @Test
  void childWithClearedEnvironment_isEnded() throws Exception {
    String ignoring = "trap \"\" TERM; echo $$; while :; do sleep 0.05; done";
    try (ManagedProcess process =
        start("setsid env -i PATH=\"$PATH\" sh -c '" + ignoring + "' & wait")) {
      long child = lines.nextPid();

      // The parent ends at once, so only an earlier lookup can know the child.
      process.terminate(Duration.ofMillis(100));

      assertThat(isLive(child)).isFalse();
    }
  }

  @Test
  void daemonWithoutParent_isFoundByItsMark() throws Exception {
    try (ManagedProcess process =
        start("(setsid sh -c 'echo $$; exec sleep 1000' &); exec sleep 1000")) {
      long daemon = lines.nextPid();
      Running.await(
          "the daemon to lose its parent",
          () -> process(process.pid()).descendants().noneMatch(child -> child.pid() == daemon));

      process.terminate(LONG_GRACE);

      assertThat(isLive(daemon)).isFalse();
    }
  }

  @Test
  void trackedDaemon_isKnownWithoutParentAndMark() throws Exception {
    Path go = dir.resolve("go");
    String script =
        "(env -i sleep 1000 & echo $!; while ! test -e \"$GO\"; do sleep 0.01; done);"
            + " exec sleep 1000";
    ProcessSpec spec = sh(script).environment("GO", go.toString()).onStdout(lines::add).build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      ProcessHandle daemon = process(lines.nextPid());
      ProcessTree tree = new ProcessTree();
      tree.track(process(process.pid()));

      Files.createFile(go);
      Running.await(
          "the daemon to lose its parent",
          () -> process(process.pid()).descendants().noneMatch(daemon::equals));

      assertThat(tree.sweep(ProcessMark.unique())).contains(daemon);
      daemon.destroyForcibly();
    }
  }

  @Test
  void descendants_areTrackedWhileTheProcessRuns() throws Exception {
    // The test can't control the time of the lookup. So each attempt keeps the child's parent alive
    // for longer.
    boolean ended = false;
    for (int millis = 100; !ended && millis <= 6_400; millis *= 2) {
      ended = endsDaemonThatKeepsItsParentFor(Duration.ofMillis(millis));
    }
    assertThat(ended).isTrue();
  }

  private boolean endsDaemonThatKeepsItsParentFor(Duration time) throws Exception {
    String seconds = time.toSeconds() + "." + String.format("%03d", time.toMillisPart());
    ProcessHandle daemon;
    try (ManagedProcess process =
        start("(env -i sleep 1000 & echo $!; sleep " + seconds + "); exec sleep 1000")) {
      daemon = process(lines.nextPid());
      Running.await(
          "the daemon to lose its parent",
          () -> process(process.pid()).descendants().noneMatch(daemon::equals));
    }
    boolean ended = !ProcessTree.isLive(daemon);
    daemon.destroyForcibly();
    return ended;
  }

  @Test
  void repeatedlySpawningProcess_isEnded() throws Exception {
    try (ManagedProcess process =
        start(
            "trap '' TERM; i=0; while [ $i -lt 1000 ]; do"
                + " setsid sleep 1000 & echo $!; i=$((i+1)); sleep 0.01; done; wait")) {
      List<Long> children = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        children.add(lines.nextPid());
      }

      process.terminate(Duration.ofMillis(200));

      assertThat(children).noneMatch(Running::isLive);
      assertThat(process.mark().find()).isEmpty();
    }
  }

  @Test
  void childRespawningItself_isEnded() throws Exception {
    Path script = dir.resolve("phoenix");
    // Each generation starts a child in a session of its own and exits; at most 2000 generations.
    Files.writeString(
        script,
        "[ $1 -lt 2000 ] || exit 0; sleep 0.01; setsid sh \"$0\" $(($1+1)) & echo $!; exit 0\n");
    try (ManagedProcess process = start("sh '" + script + "' 0; exec sleep 1000")) {
      for (int i = 0; i < 10; i++) {
        lines.next();
      }

      process.terminate(Duration.ZERO);

      assertThat(process.mark().find()).isEmpty();
    }
  }

  @Test
  void zombieChild_isNotWaitedFor() throws Exception {
    // The child ends after its parent has become a program that reaps no children.
    String untilThen = "while [ $(cat /proc/$PPID/comm) != sleep ]; do :; done";
    try (ManagedProcess process = start("sh -c '" + untilThen + "' & echo $!; exec sleep 1000")) {
      long child = lines.nextPid();

      Running.await("the zombie", () -> Procfs.isZombie(child));

      assertThat(process(child).isAlive()).isTrue();
      assertThat(ProcessTree.isLive(process(child))).isFalse();
      assertThat(Procfs.isZombie(process.pid())).isFalse();
    }
  }

  @Test
  void repeatedClose_changesNothing() throws Exception {
    ManagedProcess process = ManagedProcess.start(sh("exit 5").build());
    ProcessExit exit = process.await(SOON).orElseThrow();

    process.close();
    process.close();

    assertThat(process.terminate(LONG_GRACE)).isEqualTo(exit);
    assertThat(process.await(SOON)).contains(exit);
  }

  @Test
  void shorterGraceOfSecondThread_counts() throws Exception {
    try (ManagedProcess process = start("trap '' TERM; echo ready; while :; do sleep 0.05; done")) {
      lines.next();
      Thread patient = new Thread(() -> process.terminate(Duration.ofHours(1)));
      patient.start();

      process.terminate(Duration.ofMillis(50));

      patient.join(SOON.toMillis());
      assertThat(patient.isAlive()).isFalse();
    }
  }

  @Test
  void interrupt_leavesNoProcess() throws Exception {
    AtomicBoolean thrown = new AtomicBoolean();
    AtomicBoolean flagKept = new AtomicBoolean();
    ManagedProcess[] started = new ManagedProcess[1];
    Thread waiting =
        new Thread(
            () -> {
              try (ManagedProcess process = start("setsid sleep 1000 & echo $!; wait")) {
                started[0] = process;
                try {
                  process.await(SOON);
                } catch (InterruptedException e) {
                  thrown.set(true);
                  Thread.currentThread().interrupt();
                }
              }
              flagKept.set(Thread.currentThread().isInterrupted());
            });
    waiting.start();
    long child = lines.nextPid();
    Running.await("the wait", () -> waiting.getState() == Thread.State.TIMED_WAITING);

    waiting.interrupt();
    waiting.join(SOON.toMillis());

    assertThat(thrown).isTrue();
    assertThat(flagKept).isTrue();
    assertThat(isLive(child)).isFalse();
    assertThat(isLive(started[0].pid())).isFalse();
  }

  @Test
  void interruptedThread_doesNotWait() throws Exception {
    try (ManagedProcess process = ManagedProcess.start(sh("exec sleep 1000").build())) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> process.await(SOON)).isInstanceOf(InterruptedException.class);
    }
  }

  private ManagedProcess start(String script) {
    return ManagedProcess.start(sh(script).onStdout(lines::add).build());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ProcessHandle process(long pid) {
    return ProcessHandle.of(pid).orElseThrow();
  }
}
