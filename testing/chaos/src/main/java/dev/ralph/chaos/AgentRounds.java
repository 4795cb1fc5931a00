package dev.ralph.chaos;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs several agents on a shared repository. Each task adds a file and changes a line of a shared
 * file; a tenth of the tasks conflict. Agents are killed at random, and so is the host process with
 * their loop and merge queue, which is then restarted.
 */
final class AgentRounds {

  private static final int AGENTS = 8;
  private static final Duration GIT_TIME = Duration.ofMinutes(30);
  private static final int KILLED = 128 + 9;

  /** The average number of kills per kill of the host. */
  private static final int HOST_ONE_IN = 8;

  /** The maximum number of iterations between two kills, so that slow machines make progress. */
  private static final int MOST_BETWEEN = 8;

  private static final int LONGEST_PAUSE_MILLIS = 300;
  private static final long LONGEST_MINUTES = 60;

  private final Path directory;
  private final Path repository;
  private final Path script;
  private final String store;
  private final int tasks;
  private final SplittableRandom random;
  private long nextKill = AGENTS;
  private int hostsKilled;
  private int agentsKilled;

  private AgentRounds(Path directory, int tasks, long seed) {
    this.directory = directory;
    this.repository = directory.resolve("repository");
    this.script = directory.resolve("agent.sh");
    this.store = Stores.address("file", directory.resolve("store"));
    this.tasks = tasks;
    this.random = new SplittableRandom(seed);
  }

  /**
   * The result of a run.
   *
   * @param hosts the number of killed hosts
   * @param agents the number of killed agents
   * @param sentBack the number of tasks that were returned because they could not be merged
   * @param commits the number of first-parent commits of the branch
   */
  record Figures(int hosts, int agents, int sentBack, int commits) {}

  /**
   * Runs the rounds.
   *
   * @throws AssertionError if a task's work is lost or merged twice, or a commit of the branch
   *     fails the gate
   */
  static Figures run(Path directory, int tasks, long seed)
      throws IOException, InterruptedException {
    AgentRounds rounds = new AgentRounds(directory, tasks, seed);
    rounds.prepare();
    rounds.work();
    return rounds.check();
  }

  private void prepare() throws IOException {
    Files.createDirectories(repository.resolve("files"));
    Files.writeString(repository.resolve("files/.keep"), "");
    StringBuilder shared = new StringBuilder("tally:\n-\n-\n-\n");
    for (int i = 1; i <= tasks; i++) {
      shared.append("open ").append(i).append("\n-\n-\n-\n");
    }
    Files.writeString(repository.resolve("shared.txt"), shared);
    Files.writeString(repository.resolve("gate.sh"), resource("gate.sh"));
    // sed's files of killed agents
    Files.writeString(repository.resolve(".gitignore"), "sed*\n.ralph\n");
    Files.writeString(script, resource("agent.sh"));
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Chaos");
    git("config", "user.email", "chaos@example.org");
    git("add", ".");
    git("commit", "--quiet", "-m", "begin");
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session(AgentsHost.SESSION);
      for (int i = 1; i <= tasks; i++) {
        session.tasks().add("task " + i);
      }
    }
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = AgentRounds.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("there is no " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String git(String... arguments) throws IOException {
    return git(repository, arguments);
  }

  private static String git(Path where, String... arguments) throws IOException {
    try {
      CommandResult answer = new Git(where, GIT_TIME).run(arguments);
      if (!answer.isGood()) {
        throw new IOException("git " + String.join(" ", arguments) + " failed: " + answer.why());
      }
      return answer.output().strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in git " + String.join(" ", arguments), e);
    }
  }

  /** Runs hosts in sequence until the first completes. */
  private void work() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
    Process host = start();
    try {
      while (true) {
        int pause = random.nextInt(1, LONGEST_PAUSE_MILLIS);
        if (host.waitFor(pause, TimeUnit.MILLISECONDS)) {
          if (host.exitValue() == 0) {
            return;
          }
          if (host.exitValue() != KILLED) {
            throw new AssertionError("the host failed with " + host.exitValue() + logPlace());
          }
          host = start();
        } else if (System.nanoTime() > end) {
          throw new AssertionError("the host did not end in time" + logPlace());
        } else if (begun() >= nextKill) {
          kill(host);
        }
      }
    } finally {
      host.destroyForcibly().waitFor();
    }
  }

  /** Returns the number of started iterations, according to the hosts' logs. */
  private long begun() throws IOException {
    try (Stream<String> lines = Files.lines(directory.resolve("host.log"))) {
      return lines.filter(line -> line.endsWith(" started")).count();
    }
  }

  private String logPlace() {
    return "; its output: " + directory.resolve("host.log");
  }

  private Process start() throws IOException {
    Path log = directory.resolve("host.log");
    return Jvm.builder(
            List.of(),
            AgentsHost.class,
            store,
            repository.toString(),
            script.toString(),
            Integer.toString(AGENTS))
        .redirectOutput(Redirect.appendTo(log.toFile()))
        .redirectErrorStream(true)
        .start();
  }

  /** Kills an agent or the agent's host; kills nothing if no agent works. */
  private void kill(Process host) throws IOException {
    List<ProcessHandle> agents =
        new ArrayList<>(
            host.descendants()
                .filter(each -> each.info().commandLine().orElse("").contains(script.toString()))
                .toList());
    if (agents.isEmpty()) {
      return;
    }
    nextKill = begun() + random.nextInt(1, MOST_BETWEEN);
    if (random.nextInt(HOST_ONE_IN) == 0) {
      host.destroyForcibly();
      hostsKilled++;
      return;
    }
    Collections.sort(agents);
    ProcessHandle agent = agents.get(random.nextInt(agents.size()));
    List<ProcessHandle> below = agent.descendants().toList();
    agent.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
    agentsKilled++;
  }

  private Figures check() throws IOException {
    Map<String, Integer> merged = new HashMap<>();
    String trailers = git("log", "--format=%(trailers:key=Ralph-Task,valueonly)", "ralph/s");
    trailers
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(id -> merged.merge(id, 1, Integer::sum));
    int sentBack = 0;
    try (Ralph ralph = Ralph.open(store)) {
      for (Task task : ralph.session(AgentsHost.SESSION).tasks().list()) {
        String what = "task " + task.number();
        require(task.isSettled(), what + " is not merged although the host has completed");
        require(merged.getOrDefault(task.id(), 0) == 1, what + " merged " + merged.get(task.id()));
        String text = git("show", "ralph/s:files/" + task.number() + ".txt");
        require(text.equals("work of " + task.number()), what + " is lost: " + text);
      }
    }
    for (String line : Files.readAllLines(directory.resolve("host.log"))) {
      sentBack += line.contains("was not merged") ? 1 : 0;
    }
    require(merged.size() == tasks, merged.size() + " tasks merged");
    require(git("status", "--porcelain").isEmpty(), "the checkout was changed");
    require(git("log", "--format=%s", "main").equals("begin"), "the user's branch was moved");
    String left = git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/ralph/s.t*");
    require(left.lines().allMatch(each -> each.contains("-left-")), "branches are left: " + left);
    return new Figures(hostsKilled, agentsKilled, sentBack, checkEachCommit());
  }

  private int checkEachCommit() throws IOException {
    Path tree = directory.resolve("tree");
    git("worktree", "add", "--quiet", "--detach", tree.toString(), "ralph/s");
    List<String> commits = git("rev-list", "--first-parent", "ralph/s").lines().toList();
    for (String commit : commits) {
      git(tree, "checkout", "--quiet", "--detach", commit);
      Shell.run("sh", "-c", "cd '" + tree + "' && sh gate.sh");
    }
    return commits.size();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
