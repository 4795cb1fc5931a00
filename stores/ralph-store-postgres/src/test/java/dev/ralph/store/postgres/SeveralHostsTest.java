package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.Iteration;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.tck.CutProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests loops on several hosts, which are processes with their own host names and process ids. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
@Timeout(300)
class SeveralHostsTest {

  private static final TopicFilter SESSION = TopicFilter.parse("ralph.s.*");
  private static final Topic CONTROL = Topic.of("ralph.s.control");

  /** The names of the offered sessions. */
  private static final List<String> OFFERED = List.of("one", "two", "three");

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");
  private final String address = server.address(schema);
  private final Ralph ralph = Ralph.open(address);
  private final Session session = ralph.session("s");
  private final List<Process> started = new ArrayList<>();

  @TempDir Path folder;

  @BeforeEach
  void requireHosts() throws Exception {
    Process tried = new ProcessBuilder(host("a", "true")).start();
    assumeTrue(tried.waitFor() == 0, "other hosts need root");
  }

  @AfterEach
  void end() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    ralph.close();
    server.execute("drop schema if exists " + schema + " cascade");
  }

  private static List<String> host(String name, String... command) {
    List<String> all =
        new ArrayList<>(
            List.of("unshare", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"));
    all.addAll(List.of("sh", "-c", "hostname \"$0\"; exec \"$@\"", name));
    all.addAll(List.of(command));
    return all;
  }

  private Process loop(String host, String agent) throws IOException {
    return program(HostedLoop.class, host, address, agent);
  }

  /**
   * Starts a program with three arguments: the store's address, its folder, and {@code argument}.
   */
  private Process program(Class<?> program, String host, String address, String argument)
      throws IOException {
    Path work = Files.createDirectories(folder.resolve(host));
    ProcessBuilder builder =
        new ProcessBuilder(
                host(
                    host,
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:-UsePerfData", // names its files by process ids, which repeat
                    "-cp",
                    System.getProperty("java.class.path"),
                    program.getName(),
                    address,
                    work.toString(),
                    argument))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    for (String who : List.of("AUTHOR", "COMMITTER")) {
      builder.environment().put("GIT_" + who + "_NAME", host);
      builder.environment().put("GIT_" + who + "_EMAIL", host + "@localhost");
    }
    Process process = builder.start();
    started.add(process);
    return process;
  }

  /** Returns the id of the first process on a host; its end terminates all others there. */
  private static long first(Process host) {
    return host.children().findFirst().orElseThrow().pid();
  }

  private static void signal(long pid, String signal) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + signal, "" + pid).start().waitFor()).isZero();
  }

  private static List<String> output(Process process) throws Exception {
    try (BufferedReader out = process.inputReader()) {
      List<String> lines = out.lines().toList();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      return lines;
    }
  }

  private List<Frame> frames(TopicFilter filter, Position after) {
    List<Frame> frames = new ArrayList<>();
    try (FrameCursor cursor = ralph.log().read(Query.of(filter).after(after))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames.add(frame);
      }
    }
    return frames;
  }

  private List<Frame> control(String action) {
    return frames(TopicFilter.of(CONTROL), Position.START).stream()
        .filter(frame -> action.equals(frame.meta().string("action")))
        .toList();
  }

  private interface Condition {
    boolean holds();
  }

  /** Waits for longer than the pause of a host after a failed session. */
  private void await(String awaited, Condition condition) throws InterruptedException {
    Instant end = Instant.now().plus(Duration.ofMinutes(2));
    while (!condition.holds()) {
      if (Instant.now().isAfter(end)) {
        fail("still waiting for " + awaited + "; remarks about offers: " + remarks());
      }
      Thread.sleep(20);
    }
  }

  private List<String> remarks() {
    SessionOffers offers = SessionOffers.of(ralph);
    return OFFERED.stream()
        .flatMap(name -> offers.find(name).stream().map(each -> name + ": " + each.remarks()))
        .toList();
  }

  private boolean isRunning(int number) {
    return session
        .iterations()
        .last()
        .filter(last -> last.number() == number && last.status() == Iteration.Status.RUNNING)
        .isPresent();
  }

  private long processes(String word) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(word))
        .count();
  }

  @Test
  void deadHost_isReplacedAfterLease() throws Exception {
    session.tasks().add("Build it");
    Process a = loop("host-a", "ask");
    await("the question", () -> !session.questions().open().isEmpty());

    Process b = loop("host-b", "do");
    assertThat(b.inputReader().readLine()) // a program may start more slowly than the lease expires
        .startsWith("waiting for the session: ")
        .contains("on host-a")
        .contains("if not renewed");
    signal(first(a), "KILL");
    await("the loop on the other host", () -> control("loop_start").size() == 2);
    Frame followed = control("loop_start").get(1);
    Frame alive = control("loop_start").get(0);
    for (Frame sign : control("loop_alive")) {
      alive = sign.position().isAfter(followed.position()) ? alive : sign;
    }
    assertThat(Duration.between(alive.time(), followed.time()))
        .isBetween(HostedLoop.LEASE, HostedLoop.LEASE.plusSeconds(2));
    assertThat(followed.meta().string("host")).isEqualTo("host-b");
    assertThat(followed.meta().integer("first")).as("first iteration of the run").hasValue(1);

    session.questions().answer("q1", "the blue one");
    assertThat(output(b)).endsWith("heard", "completed");
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.SUCCESS);
    assertThat(session.questions().history()).extracting(Question::number).containsExactly(1);
    assertThat(session.control().isCompleted()).isTrue();
  }

  @Test
  void expiredLoop_stopsAgentAndWritesNothing() throws Exception {
    Path slow = folder.resolve("slow.sh");
    Files.writeString(slow, "while :; do echo working; sleep 0.05; done\n");
    Path quiet = folder.resolve("quiet.sh");
    Path leave = folder.resolve("leave");
    Files.writeString(quiet, "until [ -e " + leave + " ]; do sleep 0.05; done\n");
    Process a = loop("host-a", slow.toString());
    await("the first iteration", () -> isRunning(1));
    await("its agent", () -> processes("sh " + slow) > 0);
    long sleeper = first(a);
    signal(sleeper, "STOP");

    Process b = loop("host-b", quiet.toString());
    await("the iteration on the other host", () -> isRunning(2));
    Position begun = ralph.log().last(SESSION).orElseThrow().position();
    signal(sleeper, "CONT");
    assertThat(output(a)).containsExactly("lost");
    assertThat(processes("sh " + slow)).isZero();

    Files.createFile(leave);
    assertThat(output(b)).endsWith("max_iterations");
    String run = control("loop_start").get(1).meta().string("run");
    List<Frame> later = frames(SESSION, begun);
    assertThat(later)
        .filteredOn(frame -> "loop_alive".equals(frame.meta().string("action")))
        .allSatisfy(frame -> assertThat(frame.meta().string("run")).isEqualTo(run));
    assertThat(later)
        .filteredOn(frame -> frame.meta().string("action") == null)
        .as("output of the agent on host-b")
        .allSatisfy(frame -> assertThat(frame.meta().integer("iteration")).hasValue(2));
    assertThat(later)
        .filteredOn(frame -> frame.meta().string("action") != null)
        .filteredOn(frame -> !"loop_alive".equals(frame.meta().string("action")))
        .extracting(frame -> frame.meta().string("action"))
        .containsExactly("complete", "loop_end");
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.SUCCESS);
  }

  private String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
    command.addAll(List.of(arguments));
    Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(command + ": " + output).isZero();
    return output.strip();
  }

  /** Creates a repository for all hosts; returns the hash of its only commit. */
  private String repository(String bare) throws Exception {
    git("init", "-q", "--bare", "-b", "main", bare);
    git("init", "-q", "-b", "main", "own");
    Files.writeString(folder.resolve("own/a.txt"), "a\n");
    git("-C", "own", "add", ".");
    git("-C", "own", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "first");
    git("-C", "own", "push", "-q", bare, "main");
    return git("-C", "own", "rev-parse", "HEAD");
  }

  private List<String> hostsOf(String name) {
    return frames(TopicFilter.of(Topic.of("ralph." + name + ".control")), Position.START).stream()
        .filter(frame -> "loop_start".equals(frame.meta().string("action")))
        .map(frame -> frame.meta().string("host"))
        .toList();
  }

  /**
   * Host a loses its network while it works, and host b takes over its sessions. Then host b is
   * killed, and host a takes over all sessions.
   */
  @Test
  @Tag("slow")
  void lostHosts_areTakenOverWithoutDuplicateWork() throws Exception {
    String bare = folder.resolve("shop.git").toString();
    SessionOffer offer = SessionOffer.of(bare, "main", repository(bare));
    List<String> names = OFFERED;
    SessionOffers offers = SessionOffers.of(ralph);
    for (String name : names) {
      for (int task = 1; task <= 3; task++) {
        ralph.session(name).tasks().add(name + "-" + task);
      }
      offers.put(name, offer);
    }
    try (CutProxy network =
        new CutProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))) {
      String byNetwork = address.replace(":" + server.port() + "/", ":" + network.port() + "/");
      program(HostedSessions.class, "host-a", byNetwork, bare);
      await("two sessions", () -> names.stream().filter(n -> hostsOf(n).size() == 1).count() == 2);
      await(
          "their first tasks",
          () ->
              names.stream().filter(n -> ralph.session(n).iterations().list().size() == 2).count()
                  == 2);
      network.shut();

      Process b = program(HostedSessions.class, "host-b", address, bare);
      await(
          "a takeover by host-b",
          () ->
              names.stream()
                  .filter(n -> hostsOf(n).contains("host-a"))
                  .anyMatch(n -> hostsOf(n).contains("host-b")));
      network.restore();
      signal(first(b), "KILL");
      Files.createFile(folder.resolve("may"));
      await(
          "all sessions",
          () -> names.stream().allMatch(name -> ralph.session(name).control().isCompleted()));
      // Waits before the network is closed, because the host closes the offers through it.
      await(
          "closed offers",
          () -> names.stream().noneMatch(name -> offers.find(name).orElseThrow().isOpen()));
    }
    for (String name : names) {
      Session done = ralph.session(name);
      assertThat(done.tasks().list().open()).isEmpty();
      String commits =
          git("--git-dir=" + bare, "log", "--format=", "--name-status", "ralph/" + name);
      for (int task = 1; task <= 3; task++) {
        String file = "A\t" + name + "-" + task + ".txt";
        assertThat(commits.lines().filter(file::equals)).as(file + " in\n" + commits).hasSize(1);
      }
      // Commits that the killed host had not pushed are lost, so their tasks are done again.
      List<Frame> changes =
          frames(TopicFilter.of(Topic.of("ralph." + name + ".task")), Position.START);
      long lost =
          changes.stream()
              .filter(
                  frame ->
                      String.valueOf(frame.meta().string("reason"))
                          .contains("died before the work"))
              .count();
      assertThat(changes)
          .filteredOn(frame -> "completed".equals(frame.meta().string("status")))
          .hasSize(3 + (int) lost);
    }
    assertThat(names)
        .anySatisfy(
            name ->
                assertThat(offers.find(name).orElseThrow().remarks())
                    .extracting(OfferedSession.Remark::text)
                    .anySatisfy(
                        text -> assertThat(text).startsWith("took the session over from host-b")));
  }
}
