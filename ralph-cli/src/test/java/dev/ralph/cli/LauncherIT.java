package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the launcher as a process, in a checkout whose path contains spaces. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LauncherIT {

  @TempDir Path folder;
  private Checkout checkout;
  private Path launcher;
  private Path work;

  @BeforeEach
  void moveIn() throws Exception {
    checkout = Checkout.shared(folder);
    launcher = checkout.launcher();
    work = checkout.work();
  }

  private Exit run(Map<String, String> variables, String... command) throws Exception {
    return checkout.run(variables, command);
  }

  private Exit ralph(String... words) throws Exception {
    return checkout.ralph(words);
  }

  private Exit shell(String script) throws Exception {
    return checkout.shell(script);
  }

  @Test
  void launcher_worksThroughLinks() throws Exception {
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
  void libraryWarning_isPrintedAsCommandLine() throws Exception {
    ralph("task", "add", "--create", "-n", "a", "one");
    ralph("task", "add", "-n", "a", "two");
    Path log = work.resolve(".ralph/store/log/00000001.jsonl");
    List<String> lines = Files.readAllLines(log);
    Files.writeString(log, String.join("\n", lines.subList(0, lines.size() - 1)) + "\n");

    Exit exit = ralph("tasks", "-n", "a");

    assertThat(exit.out()).contains("one").doesNotContain("two");
    assertThat(exit.err()).startsWith("ralph: warning: ").contains("were acknowledged");
    assertThat(exit.err()).hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
  void userOptions_mayChooseGarbageCollector(String variable) throws Exception {
    Exit exit =
        run(Map.of(variable, "-Xmx64m -XX:+UseParallelGC"), launcher.toString(), "--version");

    assertThat(exit.code()).as(exit.toString()).isZero();
    assertThat(exit.out()).startsWith("ralph ");
  }

  @Test
  void unusableCache_doesNotStopCommand() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");

    for (Map<String, String> cache :
        List.of(
            Map.of("XDG_CACHE_HOME", file.toString()),
            Map.of("XDG_CACHE_HOME", "relative"),
            Map.of("XDG_CACHE_HOME", "", "HOME", file.toString()))) {
      Exit exit = run(cache, launcher.toString(), "--version");
      assertThat(exit.code()).isZero();
      assertThat(exit.out()).startsWith("ralph ");
      assertThat(exit.err()).isEmpty();
    }
  }

  @Test
  void folderWithColon_isRefusedWithReason() throws Exception {
    Path other = Files.createDirectory(folder.resolve("a:b"));
    Path copy = Files.copy(launcher, other.resolve("ralph"), StandardCopyOption.COPY_ATTRIBUTES);

    Exit exit = run(Map.of(), copy.toString(), "--version");

    assertThat(exit.code()).isEqualTo(2);
    assertThat(exit.err())
        .isEqualTo(
            "ralph: the path "
                + other.toRealPath()
                + " has a colon, which Java does not support; move the folder\n");
  }

  @Test
  void temporaryFiles_areWrittenToTmpdir() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("some temporary files"));

    Exit demo = run(Map.of("TMPDIR", temporary.toString()), launcher.toString(), "demo", "--quiet");

    assertThat(demo.code()).as(demo.err()).isZero();
    assertThat(demo.out()).contains(temporary + "/ralph-demo-");
    assertThat(run(Map.of("TMPDIR", "/nowhere"), launcher.toString(), "--version").err()).isEmpty();
  }

  @Test
  void deletedWorkingFolder_isNamed() throws Exception {
    Exit exit =
        shell(
            "mkdir gone && cd gone && rmdir ../gone; \"$RALPH\" tasks; \"$RALPH\" agentmail receive");

    assertThat(exit.code()).isEqualTo(1);
    assertThat(exit.err().lines().filter(line -> line.startsWith("ralph: ")))
        .hasSize(2)
        .containsOnly(
            "ralph: the current folder was deleted or replaced; change to an existing folder");
  }

  @Test
  void missingOrOldJava_isRefused() throws Exception {
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
  void text_isUtf8InAnyLocale() throws Exception {
    ralph("task", "add", "-n", "a", "--create", "Grüße, 世界 😀");
    assertThat(ralph("tasks", "-n", "a").out()).endsWith("Grüße, 世界 😀\n");

    Exit broken = shell("\"$RALPH\" message -n a \"$(printf 'a\\377b')\"");
    assertThat(broken.code()).isEqualTo(2);
    assertThat(broken.err()).contains("not valid text in this locale").hasLineCount(1);
    assertThat(shell("printf 'pi\\303\\274ped\\n' | \"$RALPH\" message -n a").code()).isZero();
    assertThat(ralph("inbox", "-n", "a").out()).contains(": piüped\n").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"xx_XX.UTF-8", "xx_XX.utf8", "POSIX", "xx_XX.ISO-8859-1"})
  void missingLocale_losesNoText(String locale) throws Exception {
    Map<String, String> variables = Map.of("LC_ALL", locale);
    String text = "Grüße, 世界 😀";
    String program = launcher.toString();
    run(variables, program, "task", "add", "-n", "a", "--create", text);
    assertThat(run(variables, program, "tasks", "-n", "a").out()).endsWith(text + "\n");
  }

  @Test
  void unencodableTextWithoutLauncher_isRefused() throws Exception {
    ralph("task", "add", "-n", "a", "--create", "x");
    Path jar = launcher.resolveSibling("target/launcher/lib/ralph.jar");
    Exit exit =
        run(
            Map.of("LC_ALL", "xx_XX.UTF-8"),
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            jar.toString(),
            "dev.ralph.cli.Main",
            "message",
            "-n",
            "a",
            "Grüße");
    assertThat(exit.code()).isEqualTo(2);
    assertThat(exit.err())
        .contains("in this locale, so nothing was done; set LC_ALL=C.UTF-8")
        .hasLineCount(1);
    assertThat(ralph("inbox", "-n", "a").out()).doesNotContain("Gr");
  }

  @Test
  void chronicleStore_isSelectedByAddress() throws Exception {
    String store = "chronicle:" + work.resolve("a queue");
    Exit added = ralph("task", "add", "-n", "a", "--create", "x", "--store", store);
    assertThat(added.err()).isEmpty();
    assertThat(ralph("message", "-n", "a", "--store=" + store, "hello").code()).isZero();

    Exit listed = run(Map.of("RALPH_STORE", store), launcher.toString(), "inbox", "-n", "a");
    assertThat(listed.err()).isEmpty();
    assertThat(listed.out()).endsWith(": hello\n").hasLineCount(1);
    assertThat(ralph("verify", "--store", store).out()).isEqualTo("No damage\n");

    Exit asAFileStore = ralph("tasks", "-n", "a", "--store", work.resolve("a queue").toString());
    assertThat(asAFileStore.code()).isEqualTo(1);
    assertThat(asAFileStore.err()).contains("its address is " + store);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  void lostContent_isRestoredByImport(String kind) throws Exception {
    Map<String, String> store = Map.of("RALPH_STORE", kind + work.resolve("store"));
    String ralph = launcher.toString();
    run(store, ralph, "task", "add", "-n", "a", "--create", "x");
    run(store, "/bin/sh", "-c", "seq 20000 | '" + ralph + "' message -n a -");
    run(store, ralph, "message", "-n", "a", "small");
    run(store, ralph, "export", "backup");
    try (Stream<Path> contents = Files.walk(work.resolve("store/content"))) {
      Files.delete(contents.filter(Files::isRegularFile).findFirst().orElseThrow());
    }

    Exit build = run(store, ralph, "build", "-n", "a", "--agent", "cat", "-p", "x", "-i", "1");
    assertThat(build.code()).as(build.err()).isEqualTo(3);
    assertThat(build.err()).contains("is missing; restore the file").doesNotContain("failed");
    Exit inbox = run(store, ralph, "inbox", "-n", "a");
    assertThat(inbox.out()).startsWith("m1 ").containsPattern("\nm2 .*: small\n");
    assertThat(inbox.err()).isEmpty();
    Exit shown = run(store, ralph, "inbox", "show", "m1", "-n", "a");
    assertThat(shown.code()).isEqualTo(1);
    assertThat(shown.err()).contains("is missing; restore the file");

    Exit healed = run(store, ralph, "import", "backup");
    assertThat(healed.out()).contains("3 already present, restored the content of 1");
    assertThat(healed.err()).isEmpty();
    assertThat(run(store, ralph, "verify").out()).isEqualTo("No damage\n");
    assertThat(run(store, ralph, "inbox", "show", "m1", "-n", "a").out()).endsWith(" 20000\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  void damagedTail_acceptsImportOfBackup(String kind) throws Exception {
    Map<String, String> store = Map.of("RALPH_STORE", kind + work.resolve("store"));
    String ralph = launcher.toString();
    run(store, ralph, "task", "add", "-n", "a", "--create", "first");
    run(store, ralph, "export", "backup");
    run(store, ralph, "task", "add", "-n", "a", "the last");
    Path log;
    try (Stream<Path> files = Files.walk(work.resolve("store"))) {
      log =
          files
              .filter(path -> path.toString().matches(".*(\\.jsonl|F\\.cq4)"))
              .findFirst()
              .orElseThrow();
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      byte[] begin = new byte[(int) Math.min(file.length(), 1 << 20)];
      file.readFully(begin);
      file.seek(new String(begin, StandardCharsets.ISO_8859_1).indexOf("the last"));
      file.write('T');
    }

    Exit imported = run(store, ralph, "import", "backup");

    assertThat(imported.out()).contains("1 already present; all verified");
    assertThat(imported.err())
        .contains("warning: the store is damaged")
        .contains("lacks acknowledged bytes up to byte")
        .hasLineCount(2);
    assertThat(imported.code()).isZero();
  }

  @Test
  void closedStream_isReportedWithoutCorruption() throws Exception {
    ralph("task", "add", "-n", "a", "--create", "one");

    Exit noInput = shell("\"$RALPH\" message -n a <&-");
    assertThat(noInput.code()).isEqualTo(1);
    assertThat(noInput.err()).contains("text").doesNotContain("UTF-8").hasLineCount(1);
    assertThat(shell("\"$RALPH\" build -n a --agent cat --dry-run <&-").out()).contains("one");
    Exit noOutput = shell("\"$RALPH\" tasks -n a >&-");
    assertThat(noOutput.code()).isEqualTo(1);
    assertThat(noOutput.err()).startsWith("ralph: cannot write the output").hasLineCount(1);
    assertThat(shell("\"$RALPH\" tasks -n a 2>&-").out()).contains("one");
  }

  @Test
  void closedReader_endsCommandWithoutError() throws Exception {
    shell(
        "yes 'some text that makes a task' | head -c 200000 | \"$RALPH\" task add -n a --create -");
    for (int i = 0; i < 3; i++) {
      shell("\"$RALPH\" log --json >copy; cat copy | tr -d '\\n' | \"$RALPH\" message -n a -");
    }

    Exit exit = shell("{ \"$RALPH\" log; echo \"code $?\" >&2; } | head -c 10");

    assertThat(exit.err()).isEqualTo("code 0\n");
    Exit full = shell("\"$RALPH\" log >/dev/full");
    assertThat(full.code()).isEqualTo(1);
    assertThat(full.err()).startsWith("ralph: cannot write the output").hasLineCount(1);
  }
}
