package dev.ralph.core.sabotage;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.host.SessionHost;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One row in one mode: two builds, the merge into the user's branch, and the discard. */
final class Scene {

  /** Content that an actor wrote. */
  record Item(String file, boolean isIgnored) {}

  static final String SESSION = "s";

  private static final int MOST_ITERATIONS = 8;

  private final Row row;
  private final Mode mode;
  private final Path base;
  private final Path repository;
  private final Map<String, Item> items = new ConcurrentHashMap<>();
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session(SESSION);

  private volatile @Nullable Judge judge;
  private boolean hasMerged;
  private @Nullable StopReason end;

  Scene(Row row, Mode mode, Path base, Path template) throws IOException {
    this.row = row;
    this.mode = mode;
    this.base = Files.createDirectories(base);
    this.repository = base.resolve("repo");
    copy(template, repository);
  }

  // ---- for actors and the judge

  Row row() {
    return row;
  }

  Mode mode() {
    return mode;
  }

  /** Returns the folder that contains the repositories of the user and the host. */
  Path base() {
    return base;
  }

  Path repository() {
    return repository;
  }

  Path project() {
    return repository.resolve(row.subfolder);
  }

  int nextNumber() {
    return numbers.incrementAndGet();
  }

  void register(String file, byte[] content) {
    items.putIfAbsent(Judge.blob(content), new Item(file, false));
  }

  /** Removes content from the registered content. */
  void forget(byte[] content) {
    items.remove(Judge.blob(content));
  }

  /** Removes the content of all files of a folder from the registered content. */
  void forgetTree(Path root) throws IOException {
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          forget(Files.readAllBytes(file));
        }
      }
    }
  }

  void ignored(String file, byte[] content) {
    items.put(Judge.blob(content), new Item(file, true));
  }

  Map<String, Item> items() {
    return items;
  }

  List<String> output() {
    return output;
  }

  boolean hasMerged() {
    return hasMerged;
  }

  @Nullable StopReason end() {
    return end;
  }

  private Actor user() {
    return new Actor(this, "user", repository, 1);
  }

  // ---- course of the scene

  void play() throws Exception {
    Judge judge;
    try {
      Actor user = user();
      user.write("config.local");
      user.append("README.md");
      user.git("stash", "push", "--quiet", "-m", "the user's own");
      row.prepare.by(user);
      if (mode != Mode.HOST) {
        row.settings.by(user);
      }
      judge = new Judge(this);
      this.judge = judge;
      session.tasks().add("first");
      session.tasks().add("second");
      end = build();
      requireNoFailure();
      judge.afterBuild("the first build");
      judge.requireExpected();
      session.tasks().add("third");
      build();
      requireNoFailure();
      judge.afterBuild("the second build");
      hasMerged = false;
      discard();
      judge.afterDiscard();
      judge.finish();
    } finally {
      ralph.close();
      unlock(base);
    }
  }

  private void requireNoFailure() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("an actor failed: " + thrown, thrown);
    }
  }

  private @Nullable StopReason build() throws Exception {
    hasMerged = false;
    LoopResult result;
    try {
      result =
          switch (mode) {
            case AGENTS -> several();
            case WORKTREE -> alone();
            case HOST -> hosted();
          };
    } catch (RalphException e) {
      output.add("refused (" + e.code() + "): " + e.getMessage());
      if (e.code() != RalphException.Code.INVALID && e.code() != RalphException.Code.CONTENDED) {
        throw new AssertionError("a build ended with " + e.code() + ": " + e.getMessage(), e);
      }
      return null;
    }
    for (Task task : session.tasks().list()) {
      output.add(task.number() + " is " + task.status() + ": " + task.reason());
    }
    if (result == null) {
      return null;
    }
    output.add("end: " + result);
    if (result.reason() == StopReason.COMPLETED) {
      merge();
    }
    return result.reason();
  }

  private LoopResult several() {
    try (Loop loop = loop(session).agents(2).directory(project()).build()) {
      return loop.run();
    }
  }

  private LoopResult alone() throws Exception {
    BranchHold hold = BranchHold.take(project(), SESSION);
    try (hold) {
      Worktree tree = Worktree.open(project(), SESSION, CommitOptions.DEFAULT, ralph.log());
      output.addAll(tree.notices());
      Gate gate = Gate.named("the commit", context -> commit(tree));
      Loop.Builder builder = loop(session).directory(tree.folder());
      tree.preCommit().ifPresent(builder::gate);
      try (Loop loop = builder.finalGate(gate).build()) {
        return loop.run();
      } finally {
        output.addAll(tree.notices());
      }
    }
  }

  private static Verdict commit(Worktree tree) throws InterruptedException {
    try {
      tree.commit("Complete " + SESSION);
      return Verdict.passed();
    } catch (RalphException e) {
      return Verdict.failed(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable LoopResult hosted() throws Exception {
    LinkedBlockingQueue<SessionHost.Event> ends = new LinkedBlockingQueue<>();
    SessionHost host =
        SessionHost.builder(ralph, work -> loop(work.session()))
            .folder(base.resolve("hosted"))
            .repository(repository.toString())
            .onEvent(
                event -> {
                  output.add(event.type() + ": " + event.message());
                  if (event.type() == SessionHost.Happening.ENDED
                      || event.type() == SessionHost.Happening.FAILED) {
                    ends.add(event);
                  }
                })
            .build();
    SessionOffer offer =
        SessionOffer.of(repository.toString(), "main", user().git("rev-parse", "main"));
    if (!row.subfolder.isEmpty()) {
      offer = offer.folder(row.subfolder);
    }
    SessionOffers.of(ralph).put(SESSION, offer);
    FutureTask<Void> run =
        new FutureTask<>(
            () -> {
              host.run();
              return null;
            });
    new Thread(run, "host").start();
    try {
      SessionHost.Event event = ends.poll(30, TimeUnit.SECONDS);
      if (event == null) {
        throw new AssertionError("the host has not ended the session\n" + output);
      }
      return event.result();
    } finally {
      host.close();
      run.get(1, TimeUnit.MINUTES);
    }
  }

  private Loop.Builder loop(Session of) {
    Agent agent = this::turn;
    return of.loop(agent)
        .maxIterations(MOST_ITERATIONS)
        .failurePause(Duration.ofMillis(1))
        .doneWhen(now -> true)
        .onEvent(this::happened);
  }

  private void happened(LoopEvent event) {
    if (event.type() != LoopEvent.Type.USAGE && event.type() != LoopEvent.Type.OUTPUT) {
      output.add(event.message());
    }
  }

  private AgentResult turn(Turn turn) throws Exception {
    Task task = taskOf(turn);
    if (task == null) {
      return AgentResult.success();
    }
    try {
      if (task.number() == 1) {
        int attempt = attempts.incrementAndGet();
        Actor agent = new Actor(this, "agent", turn.directory(), attempt);
        if (attempt == 1) {
          if (mode == Mode.HOST) {
            row.settings.by(agent);
          }
          row.agent.by(agent);
          if (row.meanwhile != null) {
            row.meanwhile.by(user());
            Objects.requireNonNull(judge).userChanged();
          }
        } else {
          row.again.by(agent);
        }
      } else {
        Actor agent = new Actor(this, "agent", turn.directory(), 1);
        String file = "task" + task.number() + ".txt";
        if (task.number() == 2) {
          agent.write(file);
        } else {
          agent.writeIgnored(file); // the first build may have left an ignore rule
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
      throw e;
    }
    turn.session().tasks().complete(task.id());
    return AgentResult.success();
  }

  private static @Nullable Task taskOf(Turn turn) {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    String id = iteration.task();
    if (id != null) {
      return turn.session().tasks().get(id);
    }
    List<Task> ready = turn.session().tasks().ready();
    return ready.isEmpty() ? null : ready.get(0);
  }

  private void merge() throws InterruptedException {
    try {
      hasMerged = WorkBranch.of(project(), SESSION).merge();
      output.add(hasMerged ? "merged into your branch" : "nothing to merge");
    } catch (NotFoundException none) {
      output.add("no branch to merge");
    } catch (RalphException e) {
      output.add("not merged (" + e.code() + "): " + e.getMessage());
    }
  }

  private void discard() throws InterruptedException {
    try {
      WorkBranch branch = WorkBranch.of(project(), SESSION);
      output.add("to discard: " + branch.unsaved() + "; ignored: " + branch.ignored());
      branch.discard(false);
      output.add("discarded");
    } catch (NotFoundException none) {
      output.add("no branch to discard");
    } catch (RalphException e) {
      output.add("not discarded (" + e.code() + "): " + e.getMessage());
    }
  }

  // ---- files

  static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(folder).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, to.resolve(from.relativize(file).toString()));
            return FileVisitResult.CONTINUE;
          }
        });
  }

  static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Makes folders writable that a row has made read-only, so that they can be deleted. */
  private static void unlock(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
