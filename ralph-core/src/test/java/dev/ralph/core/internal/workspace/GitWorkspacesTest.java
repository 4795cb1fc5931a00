package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.Landing;
import dev.ralph.core.Landing.Status;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.workspace.Workspaces.Fate;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents side by side in a real repository. */
@Timeout(300)
class GitWorkspacesTest {

  private static final Landing.Check GOOD = folder -> Verdict.passed();

  @TempDir Path folder;
  private TestRepository repository;
  private final List<Workspaces> open = new ArrayList<>();

  @BeforeEach
  void repository() throws Exception {
    repository = TestRepository.in(folder.toRealPath().resolve("a repo"));
  }

  @AfterEach
  void closeAll() {
    open.forEach(Workspaces::close);
  }

  private Workspaces open(WorkspaceSettings settings) throws InterruptedException {
    Workspaces workspaces =
        new GitWorkspaces(
            repository.root().resolve("sub"),
            "goal",
            settings,
            ProcessMark.unique(),
            Redactor.none());
    open.add(workspaces);
    workspaces.open();
    return workspaces;
  }

  private Workspaces open() throws InterruptedException {
    return open(WorkspaceSettings.NONE);
  }

  private static Piece piece(int number) {
    return new Piece("id" + number, "token" + number, "ralph/goal.t" + number, "Do " + number);
  }

  private static Workspace enter(Workspaces workspaces, int agent, int number) throws Exception {
    return workspaces.enter(agent, number, "id" + number);
  }

  private static void write(Workspace workspace, String file, String text) throws Exception {
    Files.writeString(workspace.directory().resolve(file), text);
  }

  private static List<Status> land(Workspaces workspaces, Landing.Check check, Piece... pieces)
      throws Exception {
    List<Fate> fates = workspaces.land(List.of(pieces), check, piece -> true);
    return fates.stream().map(fate -> fate.result().status()).toList();
  }

  private String log(String branch) throws Exception {
    return repository.git("log", "--first-parent", "--format=%s", branch);
  }

  private void assertCheckoutIsAsItWas() throws Exception {
    assertThat(repository.git("status", "--porcelain")).isEqualTo("M a.txt");
    assertThat(repository.git("symbolic-ref", "--short", "HEAD")).isEqualTo("main");
    assertThat(log("main")).isEqualTo("first");
  }

  @Test
  void aTasksWorkIsKeptAndLandsAndItsBranchGoes() throws Exception {
    Workspaces workspaces = open();
    assertThat(workspaces.notices())
        .singleElement()
        .asString()
        .contains("1 file changed in " + repository.root());
    assertThat(workspaces.branch(4)).isEqualTo("ralph/goal.t4");
    Workspace workspace = enter(workspaces, 2, 4);
    assertThat(workspace.directory())
        .isEqualTo(repository.root().resolve(".ralph/worktrees/goal.2/sub"));
    assertThat(workspace.branch()).isEqualTo("ralph/goal.t4");
    assertThat(workspace.isTakenUp()).isFalse();
    assertThat(workspace.variables()).containsKey("RALPH_PORT_BASE");
    write(workspace, "new.txt", "new\n");
    write(workspace, "../built", "what a build has made\n");
    workspaces.keep(workspace, "Part of 4");
    workspaces.keep(workspace, "Nothing more");
    assertThat(log("ralph/goal.t4")).isEqualTo("Part of 4\nfirst");
    assertThat(enter(workspaces, 2, 4).isTakenUp()).isTrue();

    assertThat(land(workspaces, GOOD, piece(4))).containsExactly(Status.LANDED);
    assertThat(log("ralph/goal")).isEqualTo("Do 4\nfirst");
    assertThat(repository.git("log", "-1", "--format=%b", "ralph/goal"))
        .isEqualTo("Ralph-Task: id4\nRalph-Claim: token4");
    workspaces.forget(number -> number == 4);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");

    Workspace next = enter(workspaces, 2, 5);
    assertThat(next.directory().resolve("new.txt")).exists();
    assertThat(next.directory().resolve("../built")).exists();
    workspaces.keep(next, "nothing");
    assertThat(land(workspaces, GOOD, piece(5))).containsExactly(Status.NOTHING);
    workspaces.forget(number -> true);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");
    assertCheckoutIsAsItWas();
  }

  @Test
  void severalLandAsOneMergeAndAConflictHoldsNoOtherUp() throws Exception {
    Workspaces workspaces = open();
    for (int number = 1; number <= 5; number++) {
      Workspace workspace = enter(workspaces, number, number);
      write(workspace, "f" + number + ".txt", "f\n");
      if (number == 2 || number == 4) {
        write(workspace, "b.txt", "b of " + number + "\n");
      }
      workspaces.keep(workspace, "work");
    }
    AtomicInteger checks = new AtomicInteger();
    Landing.Check noThird =
        at -> {
          checks.incrementAndGet();
          return Files.exists(at.resolve("f3.txt")) ? Verdict.failed("3 is red") : Verdict.passed();
        };
    List<Fate> fates =
        workspaces.land(
            List.of(piece(1), piece(2), piece(3), piece(4), piece(5), piece(6)),
            noThird,
            piece -> true);
    assertThat(fates.stream().map(fate -> fate.result().status()))
        .containsExactly(
            Status.LANDED,
            Status.LANDED,
            Status.REFUSED,
            Status.CONFLICT,
            Status.LANDED,
            Status.REFUSED);
    assertThat(fates.get(2).result().reason()).isEqualTo("3 is red");
    assertThat(fates.get(3).result().reason()).contains("b of 2").contains("b of 4");
    assertThat(fates.get(5).result().reason()).contains("ralph/goal.t6");
    assertThat(checks.get()).isLessThanOrEqualTo(5);
    assertThat(log("ralph/goal")).isEqualTo("Do 5\nLand 2 pieces of work\nfirst");
    assertThat(log("ralph/goal^^2")).isEqualTo("Do 2\nDo 1\nfirst");
    assertThat(fates.get(1).result().commit())
        .isEqualTo(repository.git("rev-parse", "ralph/goal^^2"));
    workspaces.forget(number -> number != 3 && number != 4);
    assertThat(repository.branches()).isEqualTo("main ralph/goal ralph/goal.t3 ralph/goal.t4");
    assertThat(workspaces.check(at -> Verdict.failed("is not asked")).isPassed()).isTrue();

    // The next agent merges, and resolves.
    Workspace again = enter(workspaces, 1, 4);
    assertThat(again.isTakenUp()).isTrue();
    new ProcessBuilder("git", "merge", "ralph/goal")
        .directory(again.directory().toFile())
        .start()
        .waitFor();
    write(again, "b.txt", "b of both\n");
    workspaces.keep(again, "left to us");
    assertThat(land(workspaces, GOOD, piece(4))).containsExactly(Status.LANDED);
    assertThat(repository.git("show", "ralph/goal:sub/b.txt")).isEqualTo("b of both");
    assertCheckoutIsAsItWas();
  }

  @Test
  void whatLandedBeforeAKillDoesNotLandTwiceAndWhatWasLeftIsKept() throws Exception {
    Workspaces killed = open();
    Workspace first = enter(killed, 1, 1);
    write(first, "one.txt", "one\n");
    killed.keep(first, "one");
    Workspace second = enter(killed, 2, 2);
    write(second, "two.txt", "two\n");
    assertThatThrownBy(
            () ->
                killed.land(
                    List.of(piece(1)),
                    GOOD,
                    piece -> {
                      throw RalphException.contended("the session is lost");
                    }))
        .hasMessage("the session is lost");
    assertThat(log("ralph/goal")).isEqualTo("first");
    assertThat(killed.land(List.of(piece(1)), GOOD, piece -> false).get(0).result().status())
        .isEqualTo(Status.WITHDRAWN);
    List<Fate> before = killed.land(List.of(piece(1)), GOOD, piece -> true);
    repository.git("update-ref", "refs/ralph/goal/accepted", "ralph/goal~1"); // killed before that

    Workspaces next = open();
    assertThat(log("ralph/goal.t2")).startsWith("What an agent left when it was ended");
    List<Fate> after = next.land(List.of(piece(1), piece(2)), GOOD, piece -> true);
    assertThat(after.get(0)).isEqualTo(before.get(0));
    assertThat(after.get(1).result().status()).isEqualTo(Status.LANDED);
    assertThat(log("ralph/goal")).isEqualTo("Do 2\nDo 1\nfirst");
    next.forget(number -> true);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");
    assertThat(enter(next, 2, 3).isTakenUp()).isFalse();
    assertThat(repository.branches()).isEqualTo("main ralph/goal ralph/goal.t3");
  }
}
