package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher as a process, in a checkout of its own whose path has blanks. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LauncherIT {

  private record Exit(int code, String out, String err) {}

  @TempDir Path folder;
  private final AtomicInteger calls = new AtomicInteger();
  private Path root;
  private Path launcher;
  private Path work;

  @BeforeEach
  void makeACheckout() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    root = Files.createDirectories(folder.resolve("the root of it"));
    work = Files.createDirectories(folder.resolve("a place to work"));
    launcher = root.resolve("ralph");
    Files.copy(module.resolveSibling("ralph"), launcher);
    Path built = Files.createDirectories(root.resolve("ralph-cli/target")).resolve("ralph.jar");
    Files.copy(module.resolve("target/ralph.jar"), built);
  }

  private ProcessBuilder process(Map<String, String> variables, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("RALPH"));
    environment.put("LANG", "C");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("XDG_CACHE_HOME", folder.resolve("a cache").toString());
    environment.put("RALPH", launcher.toString());
    environment.putAll(variables);
    return builder;
  }

  private Exit run(Map<String, String> variables, String... command) throws Exception {
    Path out = folder.resolve("out" + calls.incrementAndGet());
    Path err = folder.resolve("err" + calls.incrementAndGet());
    Process process =
        process(variables, command)
            .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    int code = process.waitFor();
    return new Exit(code, Files.readString(out), Files.readString(err));
  }

  private Exit ralph(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(words));
    return run(Map.of(), command.toArray(new String[0]));
  }

  private Exit shell(String script) throws Exception {
    return run(Map.of(), "sh", "-c", script);
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    Instant deadline = Instant.now().plusSeconds(60);
    while (!condition.getAsBoolean()) {
      if (Instant.now().isAfter(deadline)) {
        fail("not within a minute: " + what);
      }
      Thread.sleep(20);
    }
  }

  private boolean archiveIsThere() {
    return !archives().isEmpty();
  }

  private List<Path> archives() {
    Path cache = folder.resolve("a cache");
    if (!Files.exists(cache)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(cache)) {
      return files.filter(file -> file.toString().matches(".*\\.(jsa|aot)")).toList();
    } catch (java.io.UncheckedIOException | IOException beingMade) {
      return List.of();
    }
  }

  @Test
  void worksThroughLinksFromAnywhere() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), launcher);
    Path linkToLink = Files.createSymbolicLink(work.resolve("second"), Path.of("../link"));

    assertThat(run(Map.of(), linkToLink.toString(), "task", "add", "-n", "a", "--create", "x y"))
        .satisfies(exit -> assertThat(exit.err()).isEmpty())
        .satisfies(exit -> assertThat(exit.out()).endsWith("remaining   x y\n"));
    assertThat(run(Map.of(), link.toString(), "doctor").out())
        .contains("ok   launcher: " + launcher.toRealPath());
    assertThat(work.resolve(".ralph/store")).isDirectory();
  }

  @Test
  void keepsAnArchiveAndSaysNothingOfIt() throws Exception {
    Exit first = ralph();
    assertThat(first.err()).isEmpty();
    await("an archive", this::archiveIsThere);

    Exit second = ralph();

    assertThat(second).isEqualTo(first);
    assertThat(second.code()).isZero();
    assertThat(work).isEmptyDirectory();
  }

  @Test
  void anArchiveThatIsNoneDoesNoHarm() throws Exception {
    Exit first = ralph();
    await("an archive", this::archiveIsThere);
    Path archive = archives().get(0);
    Files.delete(archive);
    Files.writeString(archive, "garbage");
    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(5)));

    assertThat(ralph()).isEqualTo(first);
  }

  @Test
  void worksWithoutACache() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");

    for (Map<String, String> cache :
        List.of(
            Map.of("XDG_CACHE_HOME", file.toString()),
            Map.of("XDG_CACHE_HOME", "relative"),
            Map.of("XDG_CACHE_HOME", "", "HOME", "/nonexistent"))) {
      Exit exit = run(cache, launcher.toString(), "--version");
      assertThat(exit.code()).isZero();
      assertThat(exit.out()).startsWith("ralph ");
      assertThat(exit.err()).isEmpty();
    }
  }

  @Test
  void severalMayStartAtOnce() throws Exception {
    Exit exit =
        shell(
            "for i in 1 2 3 4; do \"$RALPH\" --version & done; wait; ls \"${RALPH%/*}/target/launcher\"");

    assertThat(exit.err()).isEmpty();
    assertThat(exit.out().lines().filter(line -> line.startsWith("ralph 0"))).hasSize(4);
    assertThat(exit.out().lines().filter(line -> !line.startsWith("ralph 0")))
        .containsExactly("ralph.jar");
  }

  @Test
  void aKilledBuilderIsTakenOver() throws Exception {
    Path lock = Files.createDirectories(root.resolve("target/launcher/lock"));
    Files.writeString(lock.resolve("pid"), "999999999\n");

    assertThat(ralph("--version").code()).isZero();
    assertThat(lock).doesNotExist();
  }

  @Test
  void javaMustBeNewEnough() throws Exception {
    Exit missing = run(Map.of("JAVA_HOME", "/nonexistent"), launcher.toString());
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("JAVA_HOME is /nonexistent").hasLineCount(1);

    Path old = Files.createDirectories(folder.resolve("old/bin")).getParent();
    Path java = Files.writeString(old.resolve("bin/java"), "#!/bin/sh\nexit 99\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
    Exit tooOld = run(Map.of("JAVA_HOME", old.toString()), launcher.toString());
    assertThat(tooOld.code()).isEqualTo(2);
    assertThat(tooOld.err()).contains("Java 11.0.2", "17 or later").hasLineCount(1);

    Exit none =
        run(Map.of("JAVA_HOME", "", "PATH", "/nonexistent"), "/bin/sh", launcher.toString());
    assertThat(none.code()).isEqualTo(2);
  }

  @Test
  void textIsUtf8InAnyLocale() throws Exception {
    ralph("task", "add", "-n", "a", "--create", "Grüße, 世界 😀");
    assertThat(ralph("tasks", "-n", "a").out()).endsWith("Grüße, 世界 😀\n");

    Exit broken = shell("\"$RALPH\" message -n a \"$(printf 'a\\377b')\"");
    assertThat(broken.code()).isEqualTo(2);
    assertThat(broken.err()).contains("not valid UTF-8").hasLineCount(1);
    assertThat(shell("printf 'pi\\303\\274ped\\n' | \"$RALPH\" message -n a").code()).isZero();
    assertThat(ralph("inbox", "-n", "a").out()).contains(": piüped\n").hasLineCount(1);
  }

  @Test
  void aReaderThatHasSeenEnoughIsNoFailure() throws Exception {
    shell(
        "yes 'some text that makes a task' | head -c 200000 | \"$RALPH\" task add -n a --create -");
    for (int i = 0; i < 3; i++) {
      shell("\"$RALPH\" log --json >copy; cat copy | tr -d '\\n' | \"$RALPH\" message -n a -");
    }

    Exit exit = shell("{ \"$RALPH\" log; echo \"code $?\" >&2; } | head -c 10");

    assertThat(exit.err()).isEqualTo("code 0\n");
    Exit full = shell("\"$RALPH\" log >/dev/full");
    assertThat(full.code()).isEqualTo(1);
    assertThat(full.err()).startsWith("ralph: the answer can't be written").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  void aSignalEndsTheLoopAndAllItStarted(String signal, int code) throws Exception {
    Path agent =
        Files.writeString(
            work.resolve("agent"),
            "#!/bin/sh\nsleep 600 &\necho $! >child\necho $$ >agent-pid\nwait\n");
    assertThat(agent.toFile().setExecutable(true)).isTrue();
    Path out = folder.resolve("build-out");
    Process build =
        process(Map.of(), launcher.toString(), "build", "-n", "a", "-p", "x", "--agent", "./agent")
            .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      await("the agent", () -> Files.exists(work.resolve("agent-pid")) && pid("agent-pid") > 0);

      assertThat(run(Map.of(), "kill", "-" + signal, "" + build.pid()).code()).isZero();

      assertThat(build.waitFor()).isEqualTo(code);
      await("the end of the agent", () -> ProcessHandle.of(pid("agent-pid")).isEmpty());
      await("the end of its child", () -> ProcessHandle.of(pid("child")).isEmpty());
      assertThat(ralph("iterations", "-n", "a").out()).startsWith("#1 interrupted ");
      assertThat(ralph("status", "-n", "a").out()).startsWith("a: idle\n");
      assertThat(Files.readString(out)).contains("interrupted").doesNotContain("Exception");
    } finally {
      build.destroyForcibly();
    }
  }

  private long pid(String file) {
    try {
      String text = Files.readString(work.resolve(file), StandardCharsets.UTF_8).strip();
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (IOException notYet) {
      return 0;
    }
  }
}
