package dev.ralph.core.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.FrameLog;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts in one process, with repositories in local folders. */
@Timeout(120)
class SessionHostTest {

  private static final String BRANCH = "ralph/auth";

  @TempDir Path folder;

  private final Ralph ralph = Ralph.inMemory();
  private final SessionOffers offers = SessionOffers.of(ralph);
  private final BlockingQueue<SessionHost.Event> events = new LinkedBlockingQueue<>();
  private final List<AutoCloseable> open = new java.util.ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    ralph.close();
  }

  // ---- hosts and agents

  private SessionHost host(Function<SessionWork, Loop.Builder> loops, String... repositories) {
    SessionHost.Builder builder =
        SessionHost.builder(ralph, loops)
            .folder(folder.resolve("hosted"))
            .sessions(2)
            .label("java")
            .onEvent(events::add);
    for (String each : repositories) {
      builder.repository(each);
    }
    return start(builder.build());
  }

  private SessionHost start(SessionHost host) {
    FutureTask<Void> run =
        new FutureTask<>(
            () -> {
              host.run();
              return null;
            });
    new Thread(run, "host").start();
    open.add(
        () -> {
          host.close();
          run.get(30, TimeUnit.SECONDS);
        });
    return host;
  }

  private SessionHost.Event next(SessionHost.Happening type) throws InterruptedException {
    while (true) {
      SessionHost.Event event = events.poll(30, TimeUnit.SECONDS);
      assertThat(event).as("still waiting for " + type).isNotNull();
      if (event.type() == type) {
        return event;
      }
    }
  }

  private static Loop.Builder loop(SessionWork work, Agent agent) {
    return work.session().loop(agent).doneWhen(session -> true).failurePause(Duration.ZERO);
  }

  /** Writes a file for the next ready task and completes the task. */
  private static final Agent WRITES =
      turn -> {
        Task task = turn.session().tasks().ready().get(0);
        Files.writeString(turn.directory().resolve(task.content() + ".txt"), task.content());
        turn.session().tasks().complete(task.id());
        return AgentResult.success();
      };

  // ---- repositories

  private Path repository() throws Exception {
    Path bare = folder.resolve("shop.git");
    Path own = folder.resolve("own");
    git(folder, "init", "--quiet", "--bare", "-b", "main", bare.toString());
    git(folder, "init", "--quiet", "-b", "main", own.toString());
    git(own, "config", "user.name", "Somebody");
    git(own, "config", "user.email", "somebody@example.org");
    Files.writeString(own.resolve("a.txt"), "a\n");
    git(own, "add", ".");
    git(own, "commit", "--quiet", "-m", "first");
    git(own, "push", "--quiet", bare.toString(), "main");
    return bare;
  }

  private String commit() throws Exception {
    return git(folder.resolve("own"), "rev-parse", "HEAD");
  }

  private static String git(Path where, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(where, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private String pushed(Path bare, String format) throws Exception {
    return git(folder, "--git-dir=" + bare, "log", "--format=" + format, BRANCH);
  }

  // ---- without a repository

  @Test
  void offeredSession_isRunAndItsOfferEnds() throws Exception {
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere().label("java"));
    host(work -> loop(work, WRITES));

    assertThat(next(SessionHost.Happening.TAKEN).session()).isEqualTo("auth");
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    ralph.session("later").tasks().add("one");
    offers.put("later", SessionOffer.anywhere());
    assertThat(next(SessionHost.Happening.ENDED).session()).isEqualTo("later");

    assertThat(folder.resolve("hosted/auth/form.txt")).hasContent("form");
    OfferedSession auth = offers.find("auth").orElseThrow();
    assertThat(auth.isOpen()).isFalse();
    assertThat(auth.remarks())
        .extracting(OfferedSession.Remark::text)
        .first()
        .isEqualTo("took the session");
    assertThat(offers.names()).isEmpty();
  }

  @Test
  void completedSession_endsItsOffer() throws Exception {
    Session done = ralph.session("done");
    done.tasks().add("form");
    offers.put("done", SessionOffer.anywhere());
    done.loop(WRITES).directory(folder).doneWhen(session -> true).run();
    host(work -> loop(work, WRITES));
    ralph.session("later").tasks().add("one");
    offers.put("later", SessionOffer.anywhere());

    assertThat(next(SessionHost.Happening.ENDED).session()).isEqualTo("later");
    while (offers.find("done").orElseThrow().isOpen()) {
      Thread.sleep(10);
    }
    assertThat(offers.find("done").orElseThrow().ended()).isEqualTo("completed");
    assertThat(done.control().isCompleted()).isTrue();
    assertThat(done.iterations().list()).hasSize(1);
  }

  @Test
  void completedSessionOfferedAgain_isRun() throws Exception {
    Session done = ralph.session("done");
    done.tasks().add("form");
    done.loop(WRITES).directory(folder).doneWhen(session -> true).run();
    offers.put("done", SessionOffer.anywhere().prompt("look once more"));
    host(
        work ->
            work.session()
                .loop(
                    turn -> {
                      turn.session().control().complete();
                      return AgentResult.success();
                    }));

    assertThat(next(SessionHost.Happening.TAKEN).session()).isEqualTo("done");
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(done.iterations().list()).hasSize(2);
  }

  @Test
  void session_needsLabelsAndAllowedRepository() throws Exception {
    Path bare = repository();
    offers.put("gpu", SessionOffer.anywhere().label("gpu"));
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    offers.put("plain", SessionOffer.anywhere());
    host(work -> loop(work, WRITES), bare + "/", bare + "2");

    assertThat(next(SessionHost.Happening.ENDED).session()).isEqualTo("plain");
    assertThat(offers.find("gpu").orElseThrow().remarks()).isEmpty();
    assertThat(offers.find("auth").orElseThrow().remarks()).isEmpty();
  }

  @Test
  void sessions_runInParallelUpToTheLimit() throws Exception {
    CountDownLatch two = new CountDownLatch(2);
    Set<String> running = new ConcurrentSkipListSet<>();
    for (String name : List.of("a", "b", "c")) {
      ralph.session(name).tasks().add("one");
      offers.put(name, SessionOffer.anywhere());
    }
    host(
        work ->
            loop(
                work,
                turn -> {
                  running.add(turn.session().name());
                  two.countDown();
                  assertThat(two.await(30, TimeUnit.SECONDS)).isTrue();
                  assertThat(running).hasSizeLessThanOrEqualTo(2);
                  turn.session()
                      .tasks()
                      .list()
                      .open()
                      .forEach(task -> turn.session().tasks().complete(task.id()));
                  running.remove(turn.session().name());
                  return AgentResult.success();
                }));

    for (int i = 0; i < 3; i++) {
      assertThat(next(SessionHost.Happening.ENDED).result().reason())
          .isEqualTo(StopReason.COMPLETED);
    }
  }

  @Test
  void twoHosts_runEachSessionOnce() throws Exception {
    for (int i = 0; i < 8; i++) {
      ralph.session("s" + i).tasks().add("one");
      offers.put("s" + i, SessionOffer.anywhere());
    }
    host(work -> loop(work, WRITES));
    host(work -> loop(work, WRITES));

    // A host may take a session that the other host has just ended, and finds no work.
    Set<String> ended = new HashSet<>();
    while (ended.size() < 8) {
      ended.add(String.valueOf(next(SessionHost.Happening.ENDED).session()));
    }
    for (int i = 0; i < 8; i++) {
      assertThat(ralph.session("s" + i).iterations().list()).hasSize(1);
    }
  }

  @Test
  void failedSession_isReportedAndNotRetriedAtOnce() throws Exception {
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere());
    host(
        work -> {
          throw RalphException.invalid("this host has no client");
        });

    assertThat(next(SessionHost.Happening.FAILED).message()).contains("this host has no client");
    ralph.session("other").tasks().add("one");
    offers.put("other", SessionOffer.anywhere());
    assertThat(next(SessionHost.Happening.FAILED).session()).isEqualTo("other");
    OfferedSession auth = offers.find("auth").orElseThrow();
    assertThat(auth.isOpen()).isTrue();
    assertThat(auth.remarks())
        .extracting(OfferedSession.Remark::text)
        .containsExactly("failed: this host has no client");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UNAVAILABLE", "LOCKED", "INDETERMINATE"})
  void unreachableStore_isNotFailureOfSession(String code) throws Exception {
    RalphException thrown =
        switch (code) {
          case "UNAVAILABLE" -> RalphException.unavailable("the server restarts", null);
          case "LOCKED" -> new LockedException("the store is held by process 1", 1);
          default -> new IndeterminateException("no reply", "b1", Position.START, null);
        };
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere());
    AtomicInteger tries = new AtomicInteger();
    host(
        work -> {
          if (tries.incrementAndGet() == 1) {
            throw thrown;
          }
          return loop(work, WRITES);
        });

    assertThat(next(SessionHost.Happening.NOTICE).message()).contains(thrown.getMessage());
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(offers.find("auth").orElseThrow().remarks())
        .extracting(OfferedSession.Remark::text)
        .noneMatch(text -> text.startsWith("failed"));
  }

  @Test
  void uncreatableFolder_failsWithTheReason() throws Exception {
    Files.writeString(folder.resolve("hosted"), "a file\n");
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere());
    host(work -> loop(work, WRITES));

    assertThat(next(SessionHost.Happening.FAILED).message())
        .contains("hosted", "a file is in the way");
    assertThat(offers.find("auth").orElseThrow().isOpen()).isTrue();
  }

  @Test
  void closedHost_leavesItsSessionToNextHost() throws Exception {
    CountDownLatch at = new CountDownLatch(1);
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere());
    SessionHost first =
        host(
            work ->
                loop(
                    work,
                    turn -> {
                      at.countDown();
                      new CountDownLatch(1).await();
                      return AgentResult.success();
                    }));
    at.await();
    first.close();
    host(work -> loop(work, WRITES));

    assertThat(next(SessionHost.Happening.ENDED).result().reason())
        .isEqualTo(StopReason.INTERRUPTED);
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(offers.find("auth").orElseThrow().remarks())
        .extracting(OfferedSession.Remark::text)
        .startsWith("took the session", "released the session", "took the session");
  }

  @Test
  void withdrawnOffer_isNotRun() throws Exception {
    offers.put("auth", SessionOffer.anywhere());
    assertThat(offers.withdraw("auth", "stopped")).isTrue();
    assertThat(offers.withdraw("auth", "stopped")).isFalse();
    offers.put("other", SessionOffer.anywhere());
    host(work -> loop(work, WRITES));

    assertThat(next(SessionHost.Happening.ENDED).session()).isEqualTo("other");
    assertThat(offers.find("auth").orElseThrow().ended()).isEqualTo("stopped");
    assertThat(ralph.session("auth").iterations().list()).isEmpty();
  }

  @Test
  void forgedOffers_doNoHarm() throws Exception {
    Topic index = Topic.of("hosts.offered");
    ralph.append(index, Meta.of("action", "offered").with("session", "../../etc"), "");
    ralph.append(index, Meta.of("action", "offered").with("session", "never-offered"), "");
    ralph.append(index, Meta.of("action", "offered"), "");
    ralph.append(
        Topic.of("ralph.evil.offer"),
        Meta.of("action", "offer")
            .with("repository", "ext::sh -c id")
            .with("commit", "--upload-pack=id"),
        "");
    ralph.append(index, Meta.of("action", "offered").with("session", "evil"), "");
    host(work -> loop(work, WRITES), "ext::sh -c id");

    assertThat(next(SessionHost.Happening.FAILED).message())
        .contains("a session's repository must be https://SERVER/PATH");
    assertThat(folder.resolve("hosted")).doesNotExist();
  }

  @Test
  void specOrFolderOutsideRepository_isRejected() {
    SessionOffer offer = SessionOffer.anywhere();
    for (String path : List.of("../secret", "/etc/passwd", "a/../../b", "", ".git/hooks")) {
      for (Function<String, SessionOffer> set :
          List.<Function<String, SessionOffer>>of(offer::spec, offer::folder)) {
        assertThatThrownBy(() -> set.apply(path))
            .as(path)
            .isInstanceOf(RalphException.class)
            .hasMessageContaining("must be a path relative to the top of its repository");
      }
    }
    assertThat(offer.spec("specs/auth.md").spec()).isEqualTo("specs/auth.md");
  }

  @Test
  void sessionWithoutRepository_seesNoOuterRepository() throws Exception {
    git(folder, "init", "--quiet");
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.anywhere());
    Path parent = folder.resolve("hosted");
    host(
        work ->
            loop(
                work,
                turn -> {
                  assertThat(turn.variables())
                      .containsEntry("GIT_CEILING_DIRECTORIES", parent.toString());
                  return WRITES.run(turn);
                }));

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "status", "--porcelain")).isEmpty();
  }

  // ---- with a repository

  @Test
  void work_isPushedAfterEachIteration() throws Exception {
    Path bare = repository();
    Session session = ralph.session("auth");
    session.tasks().add("form");
    session.tasks().add("page");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(pushed(bare, "%s")).isEqualTo("Iteration 2 of auth\nIteration 1 of auth\nfirst");
    assertThat(git(folder, "--git-dir=" + bare, "show", BRANCH + ":page.txt")).isEqualTo("page");
    assertThat(git(folder, "--git-dir=" + bare, "log", "--format=%s", "main")).isEqualTo("first");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void agentsAndGates_runInTheOfferedFolder(int agents) throws Exception {
    Path bare = repository();
    Path own = folder.resolve("own");
    Files.createDirectories(own.resolve("services/a"));
    Files.writeString(own.resolve("services/a/here.txt"), "here\n");
    git(own, "add", ".");
    git(own, "commit", "--quiet", "-m", "a service");
    git(own, "push", "--quiet", bare.toString(), "main");
    addTasks("a", "b");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()).folder("services/a"));
    host(
        work -> {
          assertThat(work.folder()).isEqualTo(work.top().resolve("services/a"));
          assertThat(work.top().resolve("a.txt")).exists();
          return loop(work, agents == 1 ? WRITES : WRITES_GIVEN)
              .agents(agents)
              .gate(Gate.of("test", "-e", "here.txt"));
        },
        bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH, "services/a/"))
        .contains("services/a/a.txt", "services/a/b.txt");
  }

  @Test
  void linkedFolder_isNotFollowed() throws Exception {
    Path bare = repository();
    Path own = folder.resolve("own");
    Files.createSymbolicLink(own.resolve("out"), folder);
    git(own, "add", ".");
    git(own, "commit", "--quiet", "-m", "a link");
    git(own, "push", "--quiet", bare.toString(), "main");
    addTasks("a");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()).folder("out/new"));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.FAILED).message()).contains("out is a symbolic link");
    assertThat(folder.resolve("new")).doesNotExist();
  }

  @Test
  void nextHost_continuesFromThePushedBranch() throws Exception {
    Path bare = repository();
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());
    next(SessionHost.Happening.ENDED);
    Files.move(folder.resolve("hosted"), folder.resolve("gone"));

    ralph.session("auth").tasks().add("page");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    next(SessionHost.Happening.ENDED);

    assertThat(pushed(bare, "%s")).isEqualTo("Iteration 2 of auth\nIteration 1 of auth\nfirst");
  }

  /** Records a host that died in its first iteration after its agent completed the first task. */
  private void died() {
    died(new ProcessIdentity("host-a", 4711, 1));
  }

  private void died(ProcessIdentity gone) {
    LiveSession session = (LiveSession) ralph.session("auth");
    addTasks("form", "page");
    session.control().startLoop(gone, RunToken.take(), 1, 0, 1, Duration.ofMillis(1));
    session.iterations().start(null, gone, 0, null);
    session.asAgent().tasks().complete("t1");
  }

  @Test
  void unpushedTaskOfDeadHost_isDoneAgain() throws Exception {
    Path bare = repository();
    died();
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(pushed(bare, "%s")).isEqualTo("Iteration 3 of auth\nIteration 2 of auth\nfirst");
    assertThat(git(folder, "--git-dir=" + bare, "show", BRANCH + ":form.txt")).isEqualTo("form");
  }

  /**
   * Records a host of several agents that died before it merged the completed first task. Returns
   * the claim of the task.
   */
  private Claim diedBeforeMerge() {
    LiveSession session = (LiveSession) ralph.session("auth");
    addTasks("form", "page");
    ProcessIdentity gone = new ProcessIdentity("host-a", 4711, 1);
    session.control().startLoop(gone, RunToken.take(), 1, 0, 2, Duration.ofMillis(1));
    Claim claim =
        session
            .tasks()
            .claimNextFor("a", Duration.ofMinutes(1), 1, task -> BRANCH + ".t1")
            .orElseThrow();
    session.iterations().start(null, gone, 1, claim.taskId());
    session.tasks().status("t1", StatusChange.to(Task.Status.COMPLETED).under(claim.token()));
    session.iterations().start(null, gone, 2, null);
    return claim;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void pushedMergeOfDeadHost_isNotRepeated(int agents) throws Exception {
    Path bare = repository();
    Claim claim = diedBeforeMerge();
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Path own = folder.resolve("own");
    git(own, "commit", "--quiet", "--allow-empty", "-m", "form\n\nRalph-Claim: " + claim.token());
    git(own, "push", "--quiet", bare.toString(), "HEAD:refs/heads/" + BRANCH);
    host(work -> loop(work, agents == 1 ? WRITES : WRITES_GIVEN).agents(agents), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .contains("page.txt")
        .doesNotContain("form.txt");
    assertThat(ralph.session("auth").tasks().get("t1").commit()).isEqualTo(commit());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void pendingMergeOfDeadHost_isDoneAgain(int agents) throws Exception {
    Path bare = repository();
    diedBeforeMerge();
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Set<String> reasons = new ConcurrentSkipListSet<>();
    Agent agent =
        turn -> {
          reasons.add(String.valueOf(turn.session().tasks().get("t1").reason()));
          return (agents == 1 ? WRITES : WRITES_GIVEN).run(turn);
        };
    host(work -> loop(work, agent).agents(agents), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .contains("form.txt", "page.txt");
    assertThat(reasons).anyMatch(reason -> reason.startsWith("host-a died before the work"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"elsewhere", "hosted"})
  void taskOfDeadHost_countsOnlyInTheSameFolder(String its) throws Exception {
    Path bare = repository();
    ProcessIdentity gone = new ProcessIdentity(ProcessIdentity.current().host(), 4711, 1);
    died(gone);
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    new SessionOffers(ralph, folder.resolve(its))
        .taken("auth", offers.find("auth").orElseThrow(), null, gone.pid());
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    boolean isLost = its.equals("elsewhere");
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .isEqualTo(isLost ? "a.txt\nform.txt\npage.txt" : "a.txt\npage.txt");
    OfferedSession.Remark second = offers.find("auth").orElseThrow().remarks().get(1);
    assertThat(second.host()).isEqualTo(gone.host() + ":" + folder.resolve("hosted"));
    assertThat(second.text())
        .startsWith(
            isLost
                ? "took the session over from "
                    + gone.host()
                    + ":"
                    + folder.resolve("elsewhere")
                    + ","
                : "took the session");
  }

  @Test
  void sessionFailedInFolder_isRetriedInNextFolder() throws Exception {
    addTasks("form");
    offers.put("auth", SessionOffer.anywhere());
    host(
        work -> {
          throw RalphException.invalid("this host has no client");
        });
    next(SessionHost.Happening.FAILED);
    start(
        SessionHost.builder(ralph, work -> loop(work, WRITES))
            .folder(folder.resolve("another"))
            .onEvent(events::add)
            .build());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(folder.resolve("another/auth/form.txt")).exists();
  }

  @Test
  void taskCompletedByPerson_staysCompleted() throws Exception {
    Path bare = repository();
    died();
    ralph
        .session("auth")
        .asPerson("ann")
        .tasks()
        .status("t2", StatusChange.to(Task.Status.COMPLETED).iteration(1));
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .isEqualTo("a.txt\nform.txt");
  }

  @Test
  void iterationPushedByDeadHost_counts() throws Exception {
    Path bare = repository();
    died();
    String begin = commit();
    Path own = folder.resolve("own");
    Files.writeString(own.resolve("form.txt"), "form");
    git(own, "add", ".");
    git(own, "commit", "--quiet", "-m", "Iteration 1 of auth");
    git(own, "push", "--quiet", bare.toString(), "HEAD:refs/heads/" + BRANCH);
    offers.put("auth", SessionOffer.of(bare.toString(), "main", begin));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(pushed(bare, "%s")).isEqualTo("Iteration 2 of auth\nIteration 1 of auth\nfirst");
  }

  @Test
  void foreignPush_isMergedAndCheckedByGates() throws Exception {
    Path bare = repository();
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Path own = folder.resolve("own");
    Agent agent =
        turn -> {
          if (turn.iteration() == 1) {
            Files.writeString(own.resolve("theirs.txt"), "theirs\n");
            git(own, "add", ".");
            git(own, "commit", "--quiet", "-m", "theirs");
            git(own, "push", "--quiet", bare.toString(), "HEAD:" + BRANCH);
          }
          return WRITES.run(turn);
        };
    host(work -> loop(work, agent), bare.toString());

    assertThat(next(SessionHost.Happening.NOTICE).message())
        .isEqualTo("other commits were pushed to ralph/auth, and are merged now");
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(pushed(bare, "%s")).contains("theirs", "Iteration 1 of auth");
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .contains("theirs.txt", "form.txt");
  }

  @Test
  void conflictWithForeignPush_isShownToTheAgent() throws Exception {
    Path bare = repository();
    ralph.session("auth").tasks().add("form");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Path own = folder.resolve("own");
    Agent agent =
        turn -> {
          Path file = turn.directory().resolve("form.txt");
          if (turn.iteration() == 1) {
            Files.writeString(own.resolve("form.txt"), "theirs\n");
            git(own, "add", ".");
            git(own, "commit", "--quiet", "-m", "theirs");
            git(own, "push", "--quiet", bare.toString(), "HEAD:" + BRANCH);
            return WRITES.run(turn);
          }
          assertThat(turn.prompt()).contains("merge refs/remotes/host/session");
          new Git(turn.directory(), Duration.ofMinutes(1))
              .run("merge", "refs/remotes/host/session");
          Files.writeString(file, "both\n");
          git(turn.directory(), "add", ".");
          git(turn.directory(), "commit", "--quiet", "--no-edit");
          return AgentResult.success();
        };
    host(work -> loop(work, agent), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "show", BRANCH + ":form.txt")).isEqualTo("both");
    assertThat(pushed(bare, "%s")).contains("theirs", "Iteration 1 of auth");
  }

  @Test
  void rejectedPush_failsTheSessionOnThisHost() throws Exception {
    Path bare = repository();
    Path hook = Files.createDirectories(bare.resolve("hooks")).resolve("pre-receive");
    Files.writeString(hook, "#!/bin/sh\necho x >>tries\necho 'no entry' >&2\nexit 1\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    addTasks("a", "b");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.FAILED).message())
        .contains("can't push to " + bare)
        .contains("no entry");
    assertThat(ralph.session("auth").iterations().list()).as("no retry by an agent").hasSize(1);
    assertThat(offers.find("auth").orElseThrow().isOpen()).isTrue();
    assertThat(bare.resolve("tries")).hasContent("x");
  }

  @Test
  void missingRepository_failsWithTheGitMessage() throws Exception {
    Path gone = folder.resolve("gone.git");
    offers.put("auth", SessionOffer.of(gone.toString(), "main", "a".repeat(40)));
    host(work -> loop(work, WRITES), gone.toString());

    assertThat(next(SessionHost.Happening.FAILED).message())
        .contains("can't list the branches of " + gone)
        .contains("does not appear to be a git repository");
  }

  // ---- several agents on one session

  /**
   * Completes the assigned task: merges the session's branch, then writes a file of its own and a
   * line in the shared file {@code list.txt}.
   */
  private static final Agent WRITES_GIVEN =
      turn -> {
        Session session = turn.session();
        String id = session.iterations().running(turn.agent()).orElseThrow().task();
        Task task = session.tasks().get(id);
        Path list = turn.directory().resolve("list.txt");
        git(turn.directory(), "merge", "--quiet", "--no-edit", "-X", "theirs", BRANCH);
        Files.writeString(turn.directory().resolve(task.content() + ".txt"), task.content());
        String before = Files.exists(list) ? Files.readString(list) : "";
        if (!before.lines().toList().contains(task.content())) {
          Files.writeString(list, before + task.content() + "\n");
        }
        session.tasks().complete(id);
        return AgentResult.success();
      };

  private static Loop.Builder ofThree(SessionWork work, Agent agent) {
    return loop(work, agent).agents(3).maxIterations(60);
  }

  private void addTasks(String... names) {
    for (String name : names) {
      ralph.session("auth").tasks().add(name);
    }
  }

  @Test
  void severalAgents_mergeIntoThePushedBranch() throws Exception {
    Path bare = repository();
    addTasks("a", "b", "c", "d", "e", "f");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(
        work -> ofThree(work, WRITES_GIVEN).gate(Gate.of("test", "-e", "list.txt")),
        bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "rev-list", "--count", "--first-parent", BRANCH))
        .as("the first commit, and one commit for one or more tasks")
        .isBetween("2", "7");
    assertThat(
            new Git(folder, Duration.ofMinutes(1))
                .run("--git-dir=" + bare, "show", BRANCH + ":list.txt")
                .output()
                .lines())
        .containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
    assertThat(ralph.session("auth").tasks().list()).allMatch(Task::isSettled);
  }

  @Test
  void nextHost_repeatsNoMergedTask() throws Exception {
    Path bare = repository();
    addTasks("a", "b", "c", "d");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    CountDownLatch rest = new CountDownLatch(1);
    SessionHost first =
        host(
            work ->
                ofThree(
                    work,
                    turn -> {
                      Session session = turn.session();
                      String id = session.iterations().running(turn.agent()).orElseThrow().task();
                      if (session.tasks().get(id).number() > 2) {
                        rest.await(); // until the host ends
                      }
                      return WRITES_GIVEN.run(turn);
                    }),
            bare.toString());
    while (ralph.session("auth").tasks().list().stream().filter(Task::isSettled).count() < 2) {
      Thread.sleep(10);
    }
    first.close();
    Files.move(folder.resolve("hosted"), folder.resolve("gone"));
    host(work -> ofThree(work, WRITES_GIVEN), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason())
        .isEqualTo(StopReason.INTERRUPTED);
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    for (String name : List.of("a", "b", "c", "d")) {
      assertThat(
              git(
                  folder,
                  "--git-dir=" + bare,
                  "log",
                  "--diff-filter=A",
                  "--first-parent",
                  "--format=%h",
                  BRANCH,
                  "--",
                  name + ".txt"))
          .as(name)
          .matches("[0-9a-f]+");
    }
  }

  @Test
  void unpushedTask_isNotSettled() throws Exception {
    Path bare = repository();
    addTasks("a");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Path away = folder.resolve("away.git");
    host(
        work ->
            ofThree(
                work,
                turn -> {
                  Files.move(bare, away);
                  return WRITES_GIVEN.run(turn);
                }),
        bare.toString());

    assertThat(next(SessionHost.Happening.FAILED).message())
        .contains("can't list the branches of " + bare);
    assertThat(ralph.session("auth").tasks().list()).noneMatch(Task::isSettled);
    assertThat(ralph.session("auth").control().isCompleted()).isFalse();
  }

  @Test
  void singleAgent_continuesWorkOfSeveral() throws Exception {
    Path bare = repository();
    addTasks("a", "b");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> ofThree(work, WRITES_GIVEN), bare.toString());
    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    open.remove(open.size() - 1).close();

    addTasks("c");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    host(work -> loop(work, WRITES), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "show", BRANCH + ":c.txt")).isEqualTo("c");
  }

  @Test
  void severalAgents_continueWorkOfKilledHost() throws Exception {
    Path bare = repository();
    addTasks("a");
    SessionOffer offer = SessionOffer.of(bare.toString(), "main", commit());
    FrameLog log = ((LiveSession) ralph.session("auth")).log().store();
    HostedCheckout killed = HostedCheckout.open(folder.resolve("hosted"), "auth", offer, log);
    Files.writeString(killed.folder().resolve("half.txt"), "half");
    killed.close();
    offers.put("auth", offer);
    host(work -> ofThree(work, WRITES_GIVEN), bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .isEqualTo("a.txt\nhalf.txt\nlist.txt");
  }

  @Test
  void foreignPushAfterLastTask_isMergedAndChecked() throws Exception {
    Path bare = repository();
    addTasks("form");
    offers.put("auth", SessionOffer.of(bare.toString(), "main", commit()));
    Path own = folder.resolve("own");
    Set<String> tried = new ConcurrentSkipListSet<>();
    host(
        work ->
            ofThree(work, WRITES_GIVEN)
                .gate(
                    Gate.named(
                        "files",
                        context -> {
                          for (String each : List.of("form.txt", "theirs.txt")) {
                            if (Files.exists(context.directory().resolve(each))) {
                              tried.add(each);
                            }
                          }
                          return Verdict.passed();
                        }))
                .onEvent(
                    event -> {
                      if (event.type() == LoopEvent.Type.MERGED) {
                        pushTheirs(bare, own);
                      }
                    }),
        bare.toString());

    assertThat(next(SessionHost.Happening.ENDED).result().reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + bare, "ls-tree", "--name-only", BRANCH))
        .contains("form.txt", "theirs.txt");
    assertThat(tried).containsExactly("form.txt", "theirs.txt");
    assertThat(ralph.session("auth").iterations().list()).hasSize(1);
  }

  private static void pushTheirs(Path bare, Path own) {
    try {
      git(own, "fetch", "--quiet", bare.toString(), BRANCH);
      git(own, "checkout", "--quiet", "--detach", "FETCH_HEAD");
      Files.writeString(own.resolve("theirs.txt"), "theirs\n");
      git(own, "add", ".");
      git(own, "commit", "--quiet", "-m", "theirs");
      git(own, "push", "--quiet", bare.toString(), "HEAD:refs/heads/" + BRANCH);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
