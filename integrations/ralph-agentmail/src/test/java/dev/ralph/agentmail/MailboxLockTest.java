package dev.ralph.agentmail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.LockedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests concurrent access: threads, processes, programs with AgentMail's lock, and killed
 * processes.
 */
@Timeout(600)
class MailboxLockTest {

  /** Holds the lock until it reads a line, then follows this line. */
  private static final String HOLDER =
      "use Fcntl ':flock'; $| = 1; open(my $f, '+>>', $ARGV[0]); flock($f, LOCK_EX);"
          + " print \"locked\\n\"; my $line = <STDIN>; print $f $line if $line =~ /^\\{/;";

  /**
   * Rewrites the mailbox as AgentMail does: reads and truncates the file, writes all lines with the
   * oldest unread message marked as read, and prints the id of this message.
   */
  private static final String REWRITER =
      "use Fcntl ':flock'; for my $i (1 .. $ARGV[1]) { open(my $f, '+<', $ARGV[0]) or die;"
          + " flock($f, LOCK_EX); my @all = <$f>; my $id;"
          + " for (@all) { if (s/\"read_flag\":false/\"read_flag\":true/) {"
          + " ($id) = /\"id\":\"([^\"]*)/; last } }"
          + " if (defined $id) { seek($f, 0, 0); truncate($f, 0); print $f @all; }"
          + " close($f); print \"$id\\n\" if defined $id; }";

  @TempDir Path repository;
  private Path box;
  private AgentMail mail;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void makeAMailbox() throws IOException {
    Files.createDirectory(repository.resolve(".git"));
    mail = AgentMail.of(repository);
    box = repository.resolve(".git/mail/bob.jsonl");
    mail.send("ann", "bob", "first");
  }

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  private void fill(int count) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(AgentMessageLines.line("id" + i, "text " + i, false));
    }
    Files.write(box, lines);
  }

  private Process holder() throws Exception {
    Process holder = new ProcessBuilder("perl", "-e", HOLDER, box.toString()).start();
    started.add(holder);
    assertThat(holder.inputReader().readLine()).isEqualTo("locked");
    return holder;
  }

  private static void release(Process holder, String line) throws IOException {
    holder.outputWriter().write(line + "\n");
    holder.outputWriter().flush();
  }

  /** Waits until a process waits for the lock. */
  private static void awaitWaiting(Object inode) throws Exception {
    while (!isWaiting(inode)) {
      Thread.sleep(5);
    }
  }

  private static boolean isWaiting(Object inode) throws IOException {
    String locks = Files.readString(Path.of("/proc/locks"));
    return locks.matches("(?s).*-> FLOCK [^\n]*:" + inode + " .*");
  }

  private Object inode() throws IOException {
    return Files.getAttribute(box, "unix:ino");
  }

  @Test
  void lockOfAgentMail_delaysReceiver() throws Exception {
    mail.receive("bob", message -> {});
    Process holder = holder();

    Future<Optional<AgentMessage>> received =
        CompletableFuture.supplyAsync(() -> mail.receive("bob", message -> {}));
    awaitWaiting(inode());
    release(holder, AgentMessageLines.line("late", "written under the lock", false));

    assertThat(received.get().orElseThrow().text()).isEqualTo("written under the lock");
  }

  @Test
  void delivery_delaysAgentMailPrograms() throws Exception {
    Process[] rewriter = new Process[1];
    mail.receive(
        "bob",
        message -> {
          try {
            rewriter[0] = new ProcessBuilder("perl", "-e", REWRITER, box.toString(), "1").start();
            started.add(rewriter[0]);
            awaitWaiting(inode());
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });

    assertThat(rewriter[0].inputReader().readLine()).as("second delivery").isNull();
  }

  @Test
  void stoppedHolder_isNamedWithin5Seconds() throws Exception {
    Process holder = holder();
    signal("STOP", holder.pid());
    Duration took;
    int late = 0;
    do {
      long begun = System.nanoTime();

      assertThatThrownBy(() -> mail.send("ann", "bob", "more"))
          .isInstanceOfSatisfying(
              LockedException.class, e -> assertThat(e.pid()).isEqualTo(holder.pid()))
          .hasMessageContaining("process " + holder.pid())
          .hasMessageContaining("perl")
          .hasMessageContaining("kill -CONT");

      took = Duration.ofNanos(System.nanoTime() - begun);
      late++;
      // a busy machine may need several attempts
    } while (took.compareTo(Duration.ofSeconds(5)) >= 0 && late < 10);

    assertThat(took).isLessThan(Duration.ofSeconds(5));
    assertThat(Files.readAllLines(box)).hasSize(1);
    signal("CONT", holder.pid());
    release(holder, "");
    assertThat(mail.receive("bob", message -> {})).isPresent();
  }

  @Test
  void runningHolder_isWaitedForLonger() throws Exception {
    Process holder = holder();
    Future<AgentMessage> sent =
        CompletableFuture.supplyAsync(() -> mail.send("ann", "bob", "more"));
    awaitWaiting(inode());
    Thread.sleep(6_000); // longer than the wait for a stopped holder
    release(holder, "");

    assertThat(sent.get().text()).isEqualTo("more");
  }

  @Test
  void stoppedParent_isNamedInsteadOfItsChild() throws Exception {
    Path fifo = repository.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    Process stuck = MailJvm.start(List.of(), repository, 1, fifo);
    started.add(stuck);
    awaitHeld();

    assertThatThrownBy(() -> mail.send("ann", "bob", "more"))
        .isInstanceOfSatisfying(
            LockedException.class, e -> assertThat(e.pid()).isEqualTo(stuck.pid()))
        .hasMessageContaining("java");

    stuck.destroyForcibly().waitFor();
    assertThat(mail.receive("bob", message -> {})).as("after the holder was killed").isPresent();
  }

  @Test
  void inheritedLock_namesTheInheritor() throws Exception {
    Process taker =
        new ProcessBuilder("flock", box.toString(), "sh", "-c", "echo locked; exec sleep 600")
            .start();
    started.add(taker);
    assertThat(taker.inputReader().readLine()).isEqualTo("locked");
    ProcessHandle keeper = taker.children().findFirst().orElseThrow();
    try {
      taker.destroyForcibly().waitFor();

      assertThatThrownBy(() -> mail.send("ann", "bob", "more"))
          .isInstanceOfSatisfying(
              LockedException.class, e -> assertThat(e.pid()).isEqualTo(keeper.pid()))
          .hasMessageContaining("process " + keeper.pid() + " (sleep 600)")
          .hasMessageContaining("inherited from ended process " + taker.pid());
    } finally {
      keeper.destroyForcibly();
    }
  }

  private void awaitHeld() throws Exception {
    while (!Files.readString(Path.of("/proc/locks"))
        .matches("(?s).*: FLOCK [^\n]*:" + inode() + " .*")) {
      Thread.sleep(5);
    }
  }

  private static void signal(String name, long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor())
        .isZero();
  }

  /** AgentMail's cleanup removes empty mailboxes, and the next message creates a new file. */
  @Test
  void removedMailbox_lockIsNotReused() throws Exception {
    Process holder = holder();
    Future<AgentMessage> sent =
        CompletableFuture.supplyAsync(() -> mail.send("ann", "bob", "second"));
    awaitWaiting(inode());
    Files.delete(box);
    Files.writeString(box, AgentMessageLines.line("new", "in the next one", false) + "\n");
    Process next = holder();
    release(holder, "");
    while (!sent.isDone() && !isWaiting(inode())) {
      Thread.sleep(5);
    }
    assertThat(sent.isDone()).as("sent while the new file is locked").isFalse();
    release(next, "");

    sent.get();
    assertThat(mail.messages("bob"))
        .extracting(AgentMessage::text)
        .containsExactly("in the next one", "second");
  }

  @Test
  void threads_receiveEachMessageOnce() throws Exception {
    fill(60);
    ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        calls.add(threads.submit(() -> mail.receive("bob", message -> received.add(message.id()))));
      }
      for (Future<?> call : calls) {
        call.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(received).hasSize(60).doesNotHaveDuplicates();
  }

  @Test
  void eightProcesses_receive200DifferentMessages() throws Exception {
    fill(200);
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      processes.add(MailJvm.start(List.of(), repository, 25, repository.resolve("received" + i)));
    }
    started.addAll(processes);
    List<String> received = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Path file = repository.resolve("received" + i);
      MailJvm.awaitSuccess(processes.get(i), file);
      received.addAll(Files.readAllLines(file));
    }
    assertThat(received).hasSize(200).doesNotHaveDuplicates();
    assertThat(Files.readString(box)).doesNotContain("false");
  }

  @Test
  void concurrentRewriters_loseNoMessage() throws Exception {
    fill(200);
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Path received = repository.resolve("received" + i);
      Process process =
          i < 4
              ? MailJvm.start(List.of(), repository, 25, received)
              : new ProcessBuilder("perl", "-e", REWRITER, box.toString(), "25")
                  .redirectOutput(received.toFile())
                  .redirectError(new File(received + ".said"))
                  .start();
      processes.add(process);
      started.add(process);
    }
    for (int i = 0; i < 20; i++) {
      mail.send("ann", "bob", "meanwhile " + i);
    }
    List<String> received = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Path file = repository.resolve("received" + i);
      MailJvm.awaitSuccess(processes.get(i), file);
      received.addAll(Files.readAllLines(file));
    }
    assertThat(received).hasSize(200).doesNotHaveDuplicates();
    for (AgentMessage rest : mail.messages("bob")) {
      assertThat(rest.isRead()).as(rest.id()).isEqualTo(received.contains(rest.id()));
    }
    assertThat(mail.messages("bob")).hasSize(220);
  }

  @Test
  void killedReceiver_repeatsAtMostOneMessage() throws Exception {
    assumeTrue(isThere("strace"), "strace is not installed");
    fill(40);
    Path received = repository.resolve("received");
    int kills = 0;
    for (int write = 1; kills < write; write++) {
      List<String> killing =
          List.of(
              "strace",
              "-f",
              "-qq",
              "-o",
              "/dev/null",
              "-e",
              "trace=write,pwrite64",
              "-e",
              "inject=write,pwrite64:signal=KILL:when=" + write);
      Process process = MailJvm.start(killing, repository, 1, received);
      started.add(process);
      if (process.waitFor() == 0) {
        break;
      }
      kills++;
    }
    assertThat(kills).isGreaterThan(3);
    for (Optional<AgentMessage> rest = mail.receive("bob", message -> {});
        rest.isPresent();
        rest = mail.receive("bob", message -> {})) {
      Files.writeString(received, rest.get().id() + "\n", java.nio.file.StandardOpenOption.APPEND);
    }

    List<String> all = Files.readAllLines(received);
    assertThat(new HashSet<>(all)).hasSize(40);
    for (String id : new HashSet<>(all)) {
      assertThat(all.stream().filter(id::equals).count()).as(id).isLessThanOrEqualTo(kills + 1L);
    }
    assertThat(all.size()).as("at most one repetition per kill").isLessThanOrEqualTo(40 + kills);
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  @Test
  void withoutFlock_perlLocks() throws Exception {
    Path received = repository.resolve("received");
    Process process = MailJvm.start(onlyOnPath("perl"), repository, 1, received);
    started.add(process);

    MailJvm.awaitSuccess(process, received);
    assertThat(received).exists();
    assertThat(mail.receive("bob", message -> {})).isEmpty();
  }

  @Test
  void withoutFlockAndPerl_nothingIsDone() throws Exception {
    String before = Files.readString(box);
    Path received = repository.resolve("received");
    Process process = MailJvm.start(onlyOnPath("cat"), repository, 1, received);
    started.add(process);

    assertThat(process.waitFor()).isNotZero();
    assertThat(Files.readString(Path.of(received + ".said")))
        .contains("Install util-linux or perl");
    assertThat(received).doesNotExist();
    assertThat(Files.readString(box)).isEqualTo(before);
  }

  /** Returns a command prefix that hides all programs but the given one. */
  private List<String> onlyOnPath(String program) throws IOException {
    Path folder = Files.createDirectory(repository.resolve("only " + program));
    for (String path : System.getenv("PATH").split(File.pathSeparator)) {
      Path found = Path.of(path, program);
      if (Files.isExecutable(found) && !Files.exists(folder.resolve(program))) {
        Files.createSymbolicLink(folder.resolve(program), found);
      }
    }
    return List.of("env", "PATH=" + folder);
  }
}
