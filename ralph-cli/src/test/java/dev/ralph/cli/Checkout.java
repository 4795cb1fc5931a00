package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.core.internal.process.ProcessMark;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A checkout in a path with spaces, with its own working folder. The launcher runs as a process, as
 * for a user. A mark in the environment identifies all started processes.
 */
final class Checkout {

  /** The exit code and the output of a process. */
  record Exit(int code, String out, String err) {}

  /** A running process, with its output in files. */
  record Started(Process process, Path out, Path err) {

    /** Sends a signal, such as {@code INT}. */
    void signal(String name) throws Exception {
      String kill = "kill -" + name + " " + process.pid();
      assertThat(new ProcessBuilder("sh", "-c", kill).start().waitFor()).isZero();
    }

    /** Waits until the output contains a text. */
    void awaitOut(String text) throws InterruptedException {
      await("'" + text + "' in the output", () -> said().contains(text) || !process.isAlive());
      assertThat(said()).contains(text);
    }

    private String said() {
      try {
        return Files.readString(out);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Exit exit() throws Exception {
      int code = process.waitFor();
      return new Exit(code, Files.readString(out), Files.readString(err));
    }
  }

  private final Path home;
  private final Path folder;
  private final Path work;
  private final Map<String, String> variables = new HashMap<>();
  private final ProcessMark mark = ProcessMark.unique();
  private final AtomicInteger calls = new AtomicInteger();

  private Checkout(Path home, Path folder, Path work) throws IOException {
    this.home = home;
    this.folder = folder;
    this.work = Files.createDirectories(work);
    variables.put("LANG", "C");
    // Tests must not find stores or repositories above the temporary folder.
    variables.put("GIT_CEILING_DIRECTORIES", System.getProperty("java.io.tmpdir"));
    variables.put("JAVA_HOME", System.getProperty("java.home"));
    variables.put("XDG_CACHE_HOME", cache().toString());
    variables.put("RALPH", launcher().toString());
    // The process that runs these tests may have a mark itself.
    String outer = System.getenv(ProcessMark.VARIABLE);
    variables.put(ProcessMark.VARIABLE, outer == null ? mark.text() : outer + ";" + mark.text());
  }

  /** Creates a checkout in a folder. */
  static Checkout in(Path folder) throws IOException {
    Checkout made = new Checkout(folder, folder, folder.resolve("a place to work"));
    Path module = Path.of("").toAbsolutePath();
    Path built = Files.createDirectories(made.root().resolve("ralph-cli/target"));
    Files.copy(module.resolveSibling("ralph"), made.launcher());
    Path scripts = made.root().resolve("ralph-cli/src/main/launcher");
    Files.createDirectories(scripts.getParent());
    copy(module.resolve("src/main/launcher"), scripts);
    Files.copy(module.resolve("target/ralph.jar"), built.resolve("ralph.jar"));
    copy(module.resolve("target/lib"), built.resolve("lib"));
    return made;
  }

  /**
   * Creates a working folder below a folder, for the checkout that all tests of a build share.
   * Creating its archives takes longer than most tests. The shared checkout has all archives, is
   * readable for all users, and is never modified.
   */
  static Checkout shared(Path folder) throws Exception {
    // The address selects Chronicle, so the launcher also creates Chronicle's archives.
    Path home = SharedHome.get(empty -> in(empty).with("RALPH_STORE", "chronicle:" + empty).warm());
    return new Checkout(home, folder, folder.resolve("a place to work"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /** Returns the same checkout, with its own mark and working folder. */
  Checkout elsewhere(String name) throws IOException {
    return new Checkout(home, folder, folder.resolve(name));
  }

  /** Sets a variable for all processes that this checkout starts. */
  Checkout with(String variable, String value) {
    variables.put(variable, value);
    return this;
  }

  /** Sets only the author and committer of git commits. */
  Checkout committing() {
    for (String who : List.of("AUTHOR", "COMMITTER")) {
      with("GIT_" + who + "_NAME", "test").with("GIT_" + who + "_EMAIL", "test@localhost");
    }
    return with("GIT_CONFIG_GLOBAL", "/dev/null");
  }

  Path root() {
    return home.resolve("the root of it");
  }

  /** Returns the folder of the launcher's archives. */
  Path cache() {
    return home.resolve("a cache");
  }

  Path launcher() {
    return root().resolve("ralph");
  }

  Path work() {
    return work;
  }

  /** Writes a file into the working folder. */
  Path file(String name, String text) throws IOException {
    return Files.writeString(work.resolve(name), text);
  }

  // ---- running

  private ProcessBuilder builder(Map<String, String> more, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("RALPH"));
    environment.putAll(variables);
    environment.putAll(more);
    return builder.redirectInput(Redirect.from(new File("/dev/null")));
  }

  private Started started(Map<String, String> more, String... command) throws IOException {
    int call = calls.incrementAndGet();
    Path out = folder.resolve(work.getFileName() + ".out" + call);
    Path err = folder.resolve(work.getFileName() + ".err" + call);
    Process process =
        builder(more, command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    return new Started(process, out, err);
  }

  /** Starts a command. */
  Started startAny(String... command) throws IOException {
    return started(Map.of(), command);
  }

  /** Runs a command and waits for its end. */
  Exit run(Map<String, String> more, String... command) throws Exception {
    return started(more, command).exit();
  }

  /** Runs a shell script, which finds the launcher in {@code $RALPH}. */
  Exit shell(String script) throws Exception {
    return run(Map.of(), "sh", "-c", script);
  }

  /** Runs the launcher and waits for its end. */
  Exit ralph(String... words) throws Exception {
    return start(words).exit();
  }

  /**
   * Starts the launcher as a terminal would. A background shell that runs these tests may ignore
   * Ctrl+C; processes inherit this setting, and Java respects it.
   */
  Started start(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
    command.add(launcher().toString());
    command.addAll(List.of(words));
    return started(Map.of(), command.toArray(new String[0]));
  }

  /** Starts the launcher with pipes for standard input and output, like {@link #start}. */
  Process talkTo(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
    command.add(launcher().toString());
    command.addAll(List.of(words));
    return builder(Map.of(), command.toArray(new String[0]))
        .redirectInput(Redirect.PIPE)
        .redirectError(folder.resolve("talk.err").toFile())
        .start();
  }

  /** Returns the standard error of the last process that {@link #talkTo} started. */
  String talkErr() throws IOException {
    return Files.readString(folder.resolve("talk.err"));
  }

  /** Runs the launcher with {@code --json}, which must succeed, and returns its output. */
  JsonNode json(String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--json");
    Exit exit = ralph(all.toArray(new String[0]));
    assertThat(exit.err()).isEmpty();
    assertThat(exit.code()).isZero();
    return new ObjectMapper().readTree(exit.out());
  }

  // ---- processes and archives

  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    await(what, Duration.ofMinutes(3), condition);
  }

  static void await(String what, Duration limit, BooleanSupplier condition)
      throws InterruptedException {
    Instant deadline = Instant.now().plus(limit);
    while (!condition.getAsBoolean()) {
      if (Instant.now().isAfter(deadline)) {
        fail("condition not met within " + limit + ": " + what);
      }
      Thread.sleep(20);
    }
  }

  /**
   * Runs the launcher once, and waits until it has created the archives for all commands. Otherwise
   * another process could start to create archives during a test.
   */
  Checkout warm() throws Exception {
    ralph("--version");
    // The archive process starts two JVMs for each of eleven archives.
    await("all archives", Duration.ofMinutes(9), () -> !archives().isEmpty() && makers().isEmpty());
    return this;
  }

  /** Returns variables as options of the MCP Inspector, quoted for a shell. */
  String asOptions(String... names) {
    return Stream.of(names)
        .map(name -> "-e '" + name + "=" + variables.get(name) + "' ")
        .collect(Collectors.joining());
  }

  /**
   * Returns the processes that create archives for this checkout. These processes do not have its
   * mark.
   */
  List<ProcessHandle> makers() {
    return ProcessHandle.allProcesses()
        .filter(process -> names(process, cache()) && commandOf(process).contains("archives.sh"))
        .toList();
  }

  /**
   * Kills the processes that create archives, which would write into a folder that the test
   * deletes: the script and its programs, the JVM that Java 25 starts to write an archive, and the
   * launcher's forked copy. The command line of this JVM does not name the archive.
   */
  void endMakers() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    await(
        "the end of the archives' makers",
        () -> {
          List<ProcessHandle> left = ofLauncher();
          left.forEach(ProcessHandle::destroyForcibly);
          // A process that executes another program has no command line for a moment.
          return left.isEmpty() && looks.incrementAndGet() == 3;
        });
  }

  /** Waits until no process creates archives. Other commands may run. */
  void awaitArchives() throws InterruptedException {
    await("the end of the archives' makers", Duration.ofMinutes(9), () -> makers().isEmpty());
  }

  /** Waits until all processes that create archives have ended by themselves. */
  void awaitMakers() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    await(
        "the end of the archives' makers by themselves",
        () -> looks.updateAndGet(seen -> ofLauncher().isEmpty() ? seen + 1 : 0) == 3);
  }

  private List<ProcessHandle> ofLauncher() {
    return ProcessHandle.allProcesses()
        .filter(process -> names(process, launcher()) || hasOurCache(process))
        .toList();
  }

  private boolean hasOurCache(ProcessHandle process) {
    try {
      byte[] environment = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/environ"));
      return ("\0" + new String(environment, StandardCharsets.UTF_8))
          .contains("\0XDG_CACHE_HOME=" + cache() + "\0");
    } catch (IOException goneOrNotOurs) {
      return false;
    }
  }

  private static boolean names(ProcessHandle process, Path path) {
    return commandOf(process).contains(path.toString());
  }

  private static String commandOf(ProcessHandle process) {
    return process.info().commandLine().orElse("");
  }

  void awaitArchive() throws InterruptedException {
    await("an archive", () -> !archives().isEmpty());
  }

  /** Returns the archive of all commands except the MCP server and AgentMail. */
  Path archiveOfCommands() {
    return archives().stream()
        .filter(archive -> archive.getFileName().toString().matches("ralph\\.jar\\.[a-z]+"))
        .findFirst()
        .orElseThrow();
  }

  List<Path> archives() {
    List<Path> archives = new ArrayList<>();
    SimpleFileVisitor<Path> collector =
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().matches(".*\\.(jsa|aot)")) {
              archives.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          // Files appear and disappear while archives are created.
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        };
    try {
      Files.walkFileTree(cache(), collector);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return archives;
  }

  /** Waits until a process has written its process id into a file, and returns the id. */
  long awaitPid(String file) throws Exception {
    Path path = work.resolve(file);
    await(file, () -> Files.exists(path) && path.toFile().length() > 0 && endsInNewline(path));
    return Long.parseLong(Files.readString(path).strip());
  }

  private static boolean endsInNewline(Path path) {
    try {
      return Files.readString(path).endsWith("\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether a process exists and is no zombie, which only its parent can remove. */
  static boolean isRunning(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException gone) {
      return false;
    }
  }

  /** Returns the command lines of the started processes that still run. */
  List<String> left() {
    return mark.find().stream()
        .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
        .toList();
  }

  /** Kills all started processes that still run. */
  void clear() {
    mark.endAll(Duration.ZERO);
  }
}
