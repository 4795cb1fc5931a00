package dev.ralph.core.internal.process;

import static dev.ralph.core.internal.process.Running.SOON;
import static dev.ralph.core.internal.process.Running.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Input and output of processes, and failures to start. */
@Timeout(300)
class ProcessIoTest {

  @TempDir Path dir;

  @Test
  void largeInput_isReturnedComplete() throws Exception {
    String text = ("x".repeat(99) + "\n").repeat(30_000);

    Finished cat = run(ProcessSpec.command("cat").stdin(text));

    assertThat(cat.exit.isSuccess()).isTrue();
    assertThat(cat.exit.outputComplete()).isTrue();
    assertThat(cat.stdout).hasSize(30_000);
    assertThat(String.join("", cat.stdout).equals(text)).isTrue();
  }

  @Test
  void unreadInput_isNoError() throws Exception {
    String text = "x".repeat(3_000_000);

    assertThat(run(ProcessSpec.command("true").stdin(text)).exit.isSuccess()).isTrue();
    assertThat(run(sh("exec <&-; echo on; exit 4").stdin(text)).exit.code()).isEqualTo(4);
  }

  @Test
  void input_isCompleteAndItsFileIsDeleted() throws Exception {
    String text = "x".repeat(3_000_000);

    Finished read = run(sh("wc -c <&0; readlink /proc/self/fd/0").stdin(text));

    assertThat(read.stdout.get(0)).isEqualTo("3000000\n");
    String file = read.stdout.get(1).replace(" (deleted)", "").strip();
    assertThat(file).startsWith(System.getProperty("java.io.tmpdir"));
    assertThat(Path.of(file)).doesNotExist();
  }

  @Test
  void pendingInterrupt_keepsTheInput() throws Exception {
    List<String> stdout = new ArrayList<>();
    Thread.currentThread().interrupt();
    try (ManagedProcess process =
        ManagedProcess.start(
            ProcessSpec.command("cat").stdin("all of it").onStdout(stdout::add).build())) {
      assertThat(Thread.interrupted()).isTrue();
      assertThat(process.awaitOrTerminate(SOON, Duration.ZERO).isSuccess()).isTrue();
    } finally {
      boolean unused = Thread.interrupted();
    }
    assertThat(stdout).containsExactly("all of it");
  }

  @Test
  void missingInput_isEndOfFile() throws Exception {
    assertThat(run(ProcessSpec.command("cat")).exit.isSuccess()).isTrue();
  }

  @Test
  void inputFile_isRead() throws Exception {
    Path file = Files.writeString(dir.resolve("prompt with space"), "from a file");

    assertThat(run(ProcessSpec.command("cat").stdin(file)).stdout).containsExactly("from a file");
  }

  @Test
  void interactiveInput_isAnsweredByLine() throws Exception {
    Running.Lines heard = new Running.Lines();
    try (ManagedProcess cat =
        ManagedProcess.start(ProcessSpec.command("cat").talks().onStdout(heard::add).build())) {
      for (String word : List.of("one", "two")) {
        cat.stdin().write((word + "\n").getBytes(StandardCharsets.UTF_8));
        cat.stdin().flush();
        assertThat(heard.next()).isEqualTo(word);
      }
      cat.stdin().close();
      assertThat(cat.await(SOON)).hasValueSatisfying(exit -> assertThat(exit.isSuccess()).isTrue());
    }
  }

  @Test
  void lines_areDeliveredSeparately() throws Exception {
    assertThat(run(sh("printf 'one\\r\\n\\ntwo'")).stdout).containsExactly("one\r\n", "\n", "two");
  }

  @Test
  void endlessLine_isDeliveredInPieces() throws Exception {
    Finished zeros = run(sh("head -c 20000000 /dev/zero | tr '\\0' x; echo"));

    assertThat(zeros.stdout).allMatch(piece -> piece.length() <= ProcessSpec.LONGEST_PIECE);
    assertThat(zeros.stdout.stream().mapToLong(String::length).sum()).isEqualTo(20_000_001);
  }

  @Test
  void charactersAtPieceBoundaries_stayWhole() throws Exception {
    // One leading byte shifts the text, so that boundaries of reads and pieces split the characters
    // of 3 or 4 bytes.
    for (String character : List.of("€", "\uD83D\uDE00")) {
      String text = "x" + character.repeat(100_000);

      Finished cat = run(ProcessSpec.command("cat").stdin(text));

      assertThat(String.join("", cat.stdout).equals(text)).isTrue();
      assertThat(cat.stdout)
          .allMatch(piece -> piece.length() <= ProcessSpec.LONGEST_PIECE)
          .noneMatch(piece -> Character.isLowSurrogate(piece.charAt(0)));
    }
  }

  @Test
  void malformedBytes_areReplaced() throws Exception {
    assertThat(run(sh("printf 'a\\377b\\303'")).stdout).containsExactly("a\uFFFDb\uFFFD");
  }

  @Test
  void splitBytes_giveTheSameText() {
    byte[] bytes = "aä€\uD83D\uDE00\n".getBytes(StandardCharsets.UTF_8);
    List<String> delivered = new ArrayList<>();
    TextPieces pieces = new TextPieces(delivered::add);

    for (byte one : bytes) {
      pieces.add(new byte[] {one}, 1);
    }
    pieces.end();

    assertThat(delivered).containsExactly("aä€\uD83D\uDE00\n");
  }

  @Test
  void stderr_isSeparateOrMerged() throws Exception {
    Finished apart = run(sh("echo out; echo err >&2"));
    assertThat(apart.stdout).containsExactly("out\n");
    assertThat(apart.stderr).containsExactly("err\n");

    List<String> merged = new ArrayList<>();
    ProcessSpec spec =
        sh("echo out; echo err >&2; echo more").mergeStderr().onStdout(merged::add).build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      process.await(SOON);
    }
    assertThat(merged).containsExactly("out\n", "err\n", "more\n");
  }

  @Test
  void ignoredOutput_doesNotBlock() throws Exception {
    try (ManagedProcess process =
        ManagedProcess.start(
            sh("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2").build())) {
      assertThat(process.await(SOON)).get().matches(ProcessExit::isSuccess);
    }
  }

  @Test
  void throwingConsumer_stillGetsAllOutput() throws Exception {
    List<String> seen = new ArrayList<>();
    ProcessSpec spec =
        sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done")
            .onStdout(
                piece -> {
                  seen.add(piece);
                  throw new AssertionError("a consumer that fails, as this test wants it");
                })
            .build();

    try (ManagedProcess process = ManagedProcess.start(spec)) {
      assertThat(process.await(SOON)).get().matches(ProcessExit::isSuccess);
    }
    assertThat(seen).hasSize(20_000).endsWith("line 19999\n");
  }

  @Test
  void bothConsumers_areCalledByTheSameThread() throws Exception {
    Set<Thread> threads = new HashSet<>();
    ProcessSpec spec =
        sh("i=0; while [ $i -lt 200 ]; do echo a; echo b >&2; i=$((i+1)); done")
            .onStdout(piece -> threads.add(Thread.currentThread()))
            .onStderr(piece -> threads.add(Thread.currentThread()))
            .build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      process.await(SOON);
    }
    assertThat(threads).hasSize(1);
  }

  @Test
  void consumer_cannotCloseItsProcess() throws Exception {
    List<Throwable> refused = new ArrayList<>();
    ManagedProcess[] self = new ManagedProcess[1];
    ProcessSpec spec =
        sh("cat; echo x")
            .onStdout(
                piece -> {
                  Running.await("the start", () -> self[0] != null);
                  try {
                    self[0].close();
                  } catch (IllegalStateException e) {
                    refused.add(e);
                  }
                })
            .build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      self[0] = process;
      assertThat(process.await(SOON)).get().matches(ProcessExit::isSuccess);
    }
    assertThat(refused).hasSize(1);
  }

  @Test
  void arguments_arePassedUnchanged() throws Exception {
    String hostile = "$(touch x); `id` \"'\\ ü\n*";

    Finished printf = run(ProcessSpec.command("printf", "%s", hostile, ""));

    assertThat(String.join("", printf.stdout)).isEqualTo(hostile);
  }

  @Test
  void directoryAndEnvironment_arePassed() throws Exception {
    Finished env =
        run(
            sh("pwd; echo \"$ADDED\"; echo \"${HOME-none}\"; echo \"$PATH\"")
                .directory(dir)
                .environment("ADDED", "a b=c;\"")
                .withoutEnvironment("HOME"));

    assertThat(env.stdout)
        .containsExactly(
            dir.toRealPath() + "\n", "a b=c;\"\n", "none\n", System.getenv("PATH") + "\n");
  }

  @Test
  void failedStart_namesTheRemedy() throws Exception {
    Path plain = Files.writeString(dir.resolve("plain"), "echo no\n");
    Path script = Files.writeString(dir.resolve("script"), "#!/no/such/interpreter\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();

    refused(ProcessSpec.command("no-such-program-anywhere"))
        .hasMessage(
            "cannot start 'no-such-program-anywhere': not found on PATH; install the program or"
                + " give its path");
    refused(ProcessSpec.command("/no/such/program")).hasMessageContaining("no such file");
    refused(ProcessSpec.command("./no").directory(dir)).hasMessageContaining("no such file");
    refused(ProcessSpec.command(plain.toString())).hasMessageContaining("chmod +x");
    refused(ProcessSpec.command(dir.toString())).hasMessageContaining("is a directory");
    refused(ProcessSpec.command(script.toString())).hasMessageContaining("interpreter");
    refused(ProcessSpec.command("true").directory(dir.resolve("gone")))
        .hasMessageContaining("working directory")
        .hasMessageContaining("does not exist");
    refused(ProcessSpec.command("true").directory(plain)).hasMessageContaining("is a file");
    refused(ProcessSpec.command("cat").stdin(dir.resolve("gone"))).hasMessageContaining("input");
    refused(ProcessSpec.command("true", "x".repeat(3_000_000))).hasMessageContaining("too long");
  }

  @Test
  void invalidSpec_isRejected() {
    invalid(() -> ProcessSpec.command());
    invalid(() -> ProcessSpec.command(""));
    invalid(() -> ProcessSpec.command("echo", "a\0b"));
    invalid(() -> ProcessSpec.command("echo", "unpaired \uD83D"));
    ProcessSpec.Builder spec = ProcessSpec.command("true");
    invalid(() -> spec.environment("", "x"));
    invalid(() -> spec.environment("A=B", "x"));
    invalid(() -> spec.environment("A", "x\0"));
    invalid(() -> spec.environment(ProcessMark.VARIABLE, "x"));
    invalid(() -> spec.withoutEnvironment(ProcessMark.VARIABLE));
    invalid(() -> spec.mergeStderr().onStderr(piece -> {}).build());
    invalid(() -> ProcessMark.of("a;b"));
    invalid(() -> ProcessMark.of(""));
  }

  @Test
  void finishedProcesses_leaveNoFilesOrThreads() throws Exception {
    run(ProcessSpec.command("cat").stdin("x"));
    int before = openFiles();

    for (int i = 0; i < 20; i++) {
      run(ProcessSpec.command("cat").stdin("x"));
    }

    // The JVM may open a few files itself; twenty leaking processes would leave sixty.
    assertThat(openFiles()).isLessThan(before + 10);
    assertThat(Running.ourThreads()).isEmpty();
  }

  private static int openFiles() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }

  private static AbstractThrowableAssert<?, ?> refused(ProcessSpec.Builder spec) {
    return invalid(() -> ManagedProcess.start(spec.build()).close());
  }

  private static AbstractThrowableAssert<?, ?> invalid(ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID));
  }

  private static Finished run(ProcessSpec.Builder spec) throws InterruptedException {
    List<String> stdout = new ArrayList<>();
    List<String> stderr = new ArrayList<>();
    try (ManagedProcess process =
        ManagedProcess.start(spec.onStdout(stdout::add).onStderr(stderr::add).build())) {
      ProcessExit exit = process.awaitOrTerminate(SOON, Duration.ZERO);
      return new Finished(exit, stdout, stderr);
    }
  }

  private record Finished(ProcessExit exit, List<String> stdout, List<String> stderr) {}
}
