package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Control;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.log.Meta;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.store.socket.internal.StoreSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Short commands avoid the parts of the Java library that cost a cold process milliseconds each:
 * network, security providers, arbitrary-precision decimals, regular expressions, and time
 * formatters. The shortest commands also avoid streams.
 */
@Timeout(300)
class ColdCommandsTest {

  @TempDir Path folder;

  /**
   * The families of JDK classes that a short command may initialize, as prefixes of class names.
   * The virtual machine, its class loaders, and files need most of these classes.
   */
  private static final List<String> ALLOWED =
      List.of(
          "java.io.",
          "java.lang.",
          "java.math.BigInteger", // used by a constant of java.time.Duration
          "java.net.URI",
          "java.net.URL",
          "java.nio.",
          "java.security.AccessControl",
          "java.security.BasicPermission",
          "java.security.CodeSource",
          "java.security.Permission",
          "java.security.Principal",
          "java.security.ProtectionDomain",
          "java.security.SecureClassLoader",
          "java.time.",
          "java.util.",
          "jdk.internal.",
          "sun.invoke.util.",
          "sun.launcher.",
          "sun.net.util.IPAddressUtil", // used by sun.net.www.ParseUtil
          "sun.net.util.URLUtil",
          "sun.net.www.ParseUtil",
          "sun.net.www.protocol.file.",
          "sun.net.www.protocol.jar.",
          "sun.nio.ch.",
          "sun.nio.cs.",
          "sun.nio.fs.",
          "sun.reflect.annotation.AnnotationParser", // used by EnumSet in the lock of a store
          "sun.security.action.Get",
          "sun.security.util.Debug",
          "sun.security.util.LazyCodeSourcePermissionCollection",
          "sun.security.util.SignatureFileVerifier", // used for the manifest of a jar
          "sun.util.calendar.ZoneInfo", // used for the time of day in "status" of a loop
          "sun.util.locale.");

  /** Families within the allowed ones that a short command may not initialize. */
  private static final List<String> FORBIDDEN =
      List.of(
          "java.lang.foreign.",
          "java.lang.runtime.", // used by records and pattern switches
          "java.math.BigInteger$RecursiveOp", // used by java.math.BigDecimal
          "java.time.format.",
          "java.util.Formatter",
          "java.util.Scanner",
          "java.util.ServiceLoader",
          "java.util.Timer",
          "java.util.UUID",
          "java.util.concurrent.CompletableFuture",
          "java.util.concurrent.ForkJoin",
          "java.util.logging.",
          "java.util.prefs.",
          "java.util.regex.",
          "java.util.stream.",
          "jdk.internal.logger.",
          "jdk.internal.net.",
          "sun.nio.ch.Net",
          "sun.nio.ch.Socket",
          "sun.nio.ch.UnixDomainSockets");

  private static boolean isUnexpected(String name) {
    return ALLOWED.stream().noneMatch(name::startsWith)
        || FORBIDDEN.stream().anyMatch(name::startsWith);
  }

  /** Runs a command in a separate JVM, and returns the classes that the JVM loads. */
  private List<String> loadedBy(String... words) throws Exception {
    return classesOf("load", "^(\\[.*?])+ (\\S+).*", words);
  }

  /** Runs a command in a separate JVM, and returns the classes that the JVM initializes. */
  private List<String> initializedBy(String... words) throws Exception {
    return classesOf("init", "^\\[.*? Initializing '(?<name>[^']+)'.*", words).stream()
        .filter(line -> !line.startsWith("["))
        .map(name -> name.replace('/', '.'))
        .toList();
  }

  private List<String> classesOf(String event, String pattern, String... words) throws Exception {
    Path log = folder.resolve("classes.log");
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:class+" + event + ":file=" + log + "::filecount=0",
                // Java 25 loads formatters for zones with daylight saving time.
                "-Duser.timezone=UTC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    line.addAll(List.of(words));
    Process process =
        new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    try (Stream<String> lines = Files.lines(log)) {
      String kept = event.equals("init") ? "${name}" : "$2";
      return lines.map(each -> each.replaceFirst(pattern, kept)).toList();
    }
  }

  private void requireUnused(List<String> commands, String... classes) throws Exception {
    for (String command : commands) {
      assertThat(loadedBy(command.split(" ")))
          .as(command)
          .contains(Main.class.getName())
          .doesNotContain(classes);
    }
  }

  /** Agents call these commands most often. */
  @Test
  void shortestCommands_loadNoStreams() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    requireUnused(
        List.of(
            "message -n a hello",
            "task claim -n a t1 --owner ann",
            "task done -n a t1",
            "tasks -n a",
            "note add -n a --type learning port",
            "notes -n a",
            "status -n a"),
        "java.util.stream.Stream",
        "java.util.ServiceLoader");
  }

  /** The same commands of an agent that reaches the store through the socket of its loop. */
  @Test
  @EnabledOnOs(OS.LINUX) // other platforms search for their socket implementation
  void shortestCommandsOverSocket_loadNoStreams() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    StoreConfig place = StoreConfig.in(folder.resolve(".ralph/store")).existing();
    try (FrameStore served = new FileStoreProvider().open(place);
        StoreSocket socket = StoreSocket.serve(served, folder.resolve("socket"))) {
      String there = " --store " + socket.info().location();
      requireUnused(
          List.of("message -n a hello" + there, "task done -n a t1" + there, "tasks -n a" + there),
          "java.util.stream.Stream",
          "java.util.ServiceLoader");
    }
  }

  @Test
  void shortCommands_loadNoRegexOrTimeFormatter() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    loadedBy("note", "add", "-n", "a", "--type", "learning", "The port is 8080");
    loadedBy("mail", "send", "bob", "--as", "ann", "hello");
    // Some commands run twice, so that the second call reads existing entries.
    requireUnused(
        List.of(
            "task add -n a two",
            "message -n a hello",
            "message -n a again",
            "task claim -n a t1 --owner ann",
            "task done -n a t1",
            "tasks -n a",
            "notes -n a",
            "inbox -n a",
            "status -n a",
            "mail send bob --as ann hello",
            "mail receive --as bob"),
        "java.util.regex.Pattern",
        "java.time.format.DateTimeFormatter");
  }

  /** The virtual machine generates these methods at run time, which takes 15 ms. */
  @Test
  void agentCommands_linkNoRecordMethods() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    Path change = Files.createDirectories(folder.resolve("openspec/changes/login"));
    Files.writeString(change.resolve("tasks.md"), "## 1. Form\n- [ ] 1.1 Draw\n- [ ] Test\n");
    String begun = new Terminal(folder).call("agent", "session", "init", "--change", "login").out();
    String session = " --session " + Meta.parse(begun).string("session_id");
    requireUnused(
        List.of(
            "agent session next-story" + session,
            "agent context --story 1" + session,
            "agent task done 1.1 --story 1" + session),
        "java.lang.runtime.ObjectMethods");
  }

  @Test
  void shortestCommands_initializeOnlyListedJdkClasses() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    assertThat(unexpected()).isEmpty();
  }

  /** In a loop the control topic contains a run, and increases of its limits. */
  @Test
  void shortestCommandsInALoop_initializeOnlyListedJdkClasses() throws Exception {
    List<String> unexpected = new ArrayList<>();
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Session session = ralph.session("a");
      session.tasks().add("one");
      session
          .loop(
              turn -> {
                session.control().raise(Control.More.iterations(1));
                session.control().raise(Control.More.tokens(10));
                unexpected.addAll(unexpected());
                session.control().stop("done");
                return AgentResult.success();
              })
          .maxIterations(5)
          .maxTokens(1_000)
          .run();
      assertThat(session.tasks().list())
          .extracting(Task::status)
          .containsExactly(Task.Status.COMPLETED);
    }
    assertThat(unexpected).isEmpty();
  }

  /** Returns the JDK classes that the shortest commands initialize although no list allows them. */
  private List<String> unexpected() throws Exception {
    List<String> found = new ArrayList<>();
    for (String command :
        List.of(
            "message -n a hello",
            "task claim -n a t1 --owner ann",
            "task done -n a t1",
            "tasks -n a",
            "note add -n a --type learning port",
            "notes -n a",
            "status -n a")) {
      List<String> names = initializedBy(command.split(" "));
      assertThat(names).as(command).contains(Main.class.getName());
      for (String name : names) {
        if (!name.startsWith("dev.ralph.")
            && !name.startsWith("org.apache.commons.cli.")
            && isUnexpected(name)) {
          found.add(command + ": " + name);
        }
      }
    }
    return found;
  }
}
