package dev.ralph.core.internal.loop.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The next action of a run, for each combination of facts. */
class LoopPolicyTest {

  private static final long NOW = -5;
  private static final int MOST = 2;
  private static final LoopDeadline LATER = LoopDeadline.after(NOW, Duration.ofHours(1));
  private static final LoopDeadline UP = LoopDeadline.after(NOW, Duration.ZERO);
  private static final LoopEnding DECIDED = new LoopEnding(StopReason.INTERRUPTED, "enough");
  private static final Backoff NONE = Backoff.none(Duration.ofSeconds(1), NOW);
  private static final Backoff FAILED = failures(1);

  private static Ralph ralph;
  private static ControlState calm;
  private static ControlState stopped;
  private static ControlState claimed;
  private static ControlState paused;
  private static List<Task> blocked;

  @BeforeAll
  static void open() {
    ralph = Ralph.inMemory();
    calm = session("calm").control().steering();
    LiveSession stop = session("stopped");
    stop.control().stop("lunch");
    stopped = stop.control().steering();
    LiveSession claim = session("claimed");
    claim.control().complete();
    claimed = claim.control().steering();
    LiveSession pause = session("paused");
    pause.control().pause();
    paused = pause.control().steering();
    blocked = blocked(session("blocked"));
  }

  @AfterAll
  static void close() {
    ralph.close();
  }

  private static LiveSession session(String name) {
    return (LiveSession) ralph.session(name);
  }

  private static List<Task> blocked(LiveSession session) {
    Task task = session.tasks().add("one");
    Claim claim =
        session
            .tasks()
            .claimNextFor("ann", Duration.ofHours(1), 1, next -> "ralph/s.t1")
            .orElseThrow();
    session.tasks().status(task.id(), StatusChange.to(Task.Status.COMPLETED).under(claim.token()));
    session.tasks().failAttempt(task.id(), claim.token(), "the gate failed", 1);
    return session.tasks().allOutOfAttempts();
  }

  private static Backoff failures(int count) {
    Backoff backoff = NONE;
    for (int i = 0; i < count; i++) {
      AgentOutcome failed = AgentOutcome.of(AgentResult.failure("no luck"));
      backoff = backoff.after(failed, false, NOW);
    }
    return backoff;
  }

  /** A fact between two iterations. The first fact that holds decides. */
  private enum Fact {
    DECIDED,
    STOPPED,
    TIME_IS_UP,
    NOT_ASKED,
    CLAIMED,
    BUDGET_SPENT,
    IDLE,
    OUT_OF_ATTEMPTS,
    ITERATIONS_USED,
    PAUSED,
    QUESTION_OPEN,
    BACKOFF
  }

  private static final class FakeView implements PolicyView {

    private final Set<Fact> facts;
    private boolean hasTasks = true;
    private @Nullable String unread;
    private @Nullable String refusal;
    private List<Iteration> iterations = List.of();

    private FakeView(Set<Fact> facts) {
      this.facts = facts;
    }

    @Override
    public ControlState steering() {
      return facts.contains(Fact.STOPPED)
          ? stopped
          : facts.contains(Fact.CLAIMED) ? claimed : facts.contains(Fact.PAUSED) ? paused : calm;
    }

    @Override
    public boolean hasTasks() {
      return hasTasks;
    }

    @Override
    public List<Iteration> iterations() {
      return iterations;
    }

    @Override
    public List<String> openQuestions() {
      return facts.contains(Fact.QUESTION_OPEN) ? List.of("q1") : List.of();
    }

    @Override
    public @Nullable String unread() {
      return unread;
    }

    @Override
    public List<Task> outOfAttempts() {
      return facts.contains(Fact.OUT_OF_ATTEMPTS) ? blocked : List.of();
    }

    @Override
    public @Nullable String refusal() {
      return refusal;
    }

    @Override
    public String remaining() {
      return "1 task left";
    }
  }

  private static LoopPolicy policy(boolean hasPlanner, int reviewEvery) {
    return new LoopPolicy(new LoopRules(MOST, 3, true, hasPlanner, true, reviewEvery));
  }

  private static LoopFacts facts(Set<Fact> facts, LoopFacts.AgentFacts agents) {
    int begun = facts.contains(Fact.ITERATIONS_USED) ? MOST : 1;
    IdleCount idle = IdleCount.of(MOST, 0);
    for (int i = 0; i < MOST && facts.contains(Fact.IDLE); i++) {
      idle = idle.after(Iteration.Role.BUILD, Iteration.Status.SUCCESS, false);
    }
    return new LoopFacts(
        facts.contains(Fact.DECIDED) ? DECIDED : null,
        facts.contains(Fact.TIME_IS_UP) ? UP : LATER,
        facts.contains(Fact.BUDGET_SPENT) ? "spent" : null,
        null,
        begun,
        !facts.contains(Fact.NOT_ASKED),
        false,
        idle,
        agents);
  }

  private static String name(NextAction action) {
    String name = action.getClass().getSimpleName();
    if (action instanceof NextAction.End end) {
      return name + " " + end.ending().reason();
    }
    if (action instanceof NextAction.Run run) {
      return name + " " + run.role();
    }
    if (action instanceof NextAction.Assign assign) {
      return name + " " + assign.workers();
    }
    if (action instanceof NextAction.Wait wait) {
      return name + " " + (wait.notice() == null ? "" : wait.notice().reason());
    }
    return action instanceof NextAction.Merge merge ? name + " " + merge.tasks() : name;
  }

  private static String expected(@Nullable Fact first) {
    return first == null
        ? "Run BUILD"
        : switch (first) {
          case DECIDED -> "End INTERRUPTED";
          case STOPPED -> "End STOPPED";
          case TIME_IS_UP -> "End TIME_LIMIT";
          case NOT_ASKED -> "AskHost";
          case CLAIMED -> "Judge";
          case BUDGET_SPENT -> "End BUDGET";
          case IDLE -> "End NO_PROGRESS";
          case OUT_OF_ATTEMPTS -> "End TASKS_BLOCKED";
          case ITERATIONS_USED -> "End MAX_ITERATIONS";
          case PAUSED -> "Wait PAUSED";
          case QUESTION_OPEN -> "Wait QUESTIONS";
          case BACKOFF -> "Wait FAILURE";
        };
  }

  @Test
  void eachCombinationOfFacts_givesTheFirstAction() {
    LoopPolicy policy = policy(false, 0);
    List<String> wrong = new ArrayList<>();
    for (int bits = 0; bits < 1 << Fact.values().length; bits++) {
      Set<Fact> holds = EnumSet.noneOf(Fact.class);
      for (Fact fact : Fact.values()) {
        if ((bits & 1 << fact.ordinal()) != 0) {
          holds.add(fact);
        }
      }
      if (holds.contains(Fact.PAUSED) && holds.contains(Fact.CLAIMED)) {
        continue; // one state of the session per fact
      }
      FakeView view = new FakeView(holds);
      Backoff backoff = holds.contains(Fact.BACKOFF) ? FAILED : NONE;
      LoopFacts facts = facts(holds, new LoopFacts.LoneAgent(backoff));
      Fact first = holds.isEmpty() ? null : holds.iterator().next();
      boolean mayFollow = first == null || first.compareTo(Fact.PAUSED) >= 0;
      String next = name(policy.next(view, facts, NOW));
      String settled = name(policy.settle(view, facts, NOW));
      Set<Fact> near = EnumSet.copyOf(holds);
      near.removeAll(
          EnumSet.of(Fact.NOT_ASKED, Fact.CLAIMED, Fact.PAUSED, Fact.QUESTION_OPEN, Fact.BACKOFF));
      if (!next.equals(expected(first))
          || !settled.equals(mayFollow ? "EndStep" : expected(first))
          || policy.isNearEnd(view, facts, NOW) == near.isEmpty()) {
        wrong.add(holds + ": " + next + ", " + settled);
      }
    }
    assertThat(wrong).isEmpty();
  }

  /**
   * The workers: - free, b busy, a busy without a task, w in backoff, x over; the queue: m merges,
   * p pauses, l has work without a task; the ready tasks; the tasks to merge; further facts.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "b-  | .  | 0 | g1 |                       | Merge [g1]",
        "b-  | .  | 0 | t1 |                       | WaitForWork",
        "--  | l  | 0 |    |                       | Merge []",
        "a-  | l  | 0 |    |                       | WaitForWork",
        "--  | .  | 2 |    |                       | Assign [1, 2]",
        "--  | .  | 0 |    |                       | Run BUILD",
        "--  | .  | 2 |    | assigned              | Run BUILD",
        "--  | .  | 2 |    | planner               | Run PLAN",
        "b-  | .  | 2 |    |                       | Assign [2]",
        "a-  | .  | 2 |    |                       | WaitForWork",
        "b-  | .  | 2 |    | PAUSED                | WaitForWork",
        "b-  | .  | 2 |    | QUESTION_OPEN         | WaitForWork",
        "b-  | .  | 2 |    | BUDGET_SPENT          | WaitForWork",
        "b-  | .  | 2 |    | ITERATIONS_USED       | WaitForWork",
        "b-  | .  | 2 |    | moved assigned        | EndStep",
        "--- | m  | 1 |    | held                  | Assign [2, 3]",
        "--- | m  | 3 |    | held                  | Assign [1, 2, 3]",
        "--  | m  | 0 |    |                       | WaitForWork",
        "--  | p  | 0 | g1 |                       | WaitForWork",
        "--  | p  | 0 | g1 | BUDGET_SPENT          | End BUDGET",
        "--  | .  | 0 | g1 | TIME_IS_UP            | End TIME_LIMIT",
        "xx  | .  | 1 |    |                       | End FAILURES",
        "xx  | .  | 1 | g1 |                       | Merge [g1]",
        "xw  | .  | 1 |    |                       | Wait FAILURE",
        "ww  | .  | 1 |    |                       | Wait FAILURE",
        "--  | .  | 1 |    | moved                 | EndStep",
        "--  | .  | 1 |    | moved NOT_ASKED       | AskHost",
        "--  | .  | 1 |    | moved ITERATIONS_USED | End MAX_ITERATIONS",
        "b-  | .  | 1 |    | DECIDED               | End INTERRUPTED",
      })
  void team_mergesAssignsOrWaits(
      String workers, String queue, int ready, String toMerge, String more, String action) {
    List<TeamFacts.Worker> all = new ArrayList<>();
    for (char each : workers.toCharArray()) {
      int number = all.size() + 1;
      LoopEnding over =
          each == 'x' ? new LoopEnding(StopReason.FAILURES, "worker " + number) : null;
      String task = each == 'b' ? "t1" : "";
      boolean isBusy = each == 'a' || each == 'b';
      all.add(new TeamFacts.Worker(number, isBusy, task, over, each == 'w' ? FAILED : NONE));
    }
    Set<Fact> holds = EnumSet.noneOf(Fact.class);
    Set<String> words = more == null ? Set.of() : Set.of(more.split(" "));
    for (Fact fact : Fact.values()) {
      if (words.contains(fact.name())) {
        holds.add(fact);
      }
    }
    FakeView view = new FakeView(holds);
    view.hasTasks = !words.contains("planner");
    List<String> done = queue.equals("l") ? List.of("") : List.of();
    TeamFacts.Queue seat =
        new TeamFacts.Queue(
            queue.equals("m"),
            queue.equals("p") ? LATER : UP,
            toMerge == null ? done : List.of(toMerge),
            words.contains("held") ? 1 : 0);
    TeamFacts team =
        new TeamFacts(all, seat, ready, words.contains("moved"), words.contains("assigned"));

    NextAction next = policy(words.contains("planner"), 0).next(view, facts(holds, team), NOW);

    assertThat(name(next)).isEqualTo(action);
    if (next instanceof NextAction.Merge merge) {
      assertThat(merge.tasks()).containsExactly(toMerge == null ? "" : toMerge);
    }
  }

  @Test
  void workerInBackoff_thatEndsFirstIsAwaited() {
    TeamFacts.Worker late = new TeamFacts.Worker(1, false, "", null, failures(3));
    TeamFacts.Worker soon = new TeamFacts.Worker(2, false, "", null, FAILED);
    TeamFacts team =
        new TeamFacts(
            List.of(late, soon), new TeamFacts.Queue(false, UP, List.of(), 0), 0, false, false);
    FakeView view = new FakeView(EnumSet.noneOf(Fact.class));

    assertThat(policy(false, 0).next(view, facts(EnumSet.noneOf(Fact.class), team), NOW))
        .isEqualTo(new NextAction.Wait(FAILED.notice(), FAILED.notBefore()));
  }

  /** The iterations: S succeeded, F failed, R and X a review that succeeded or failed. */
  @ParameterizedTest
  @CsvSource({
    "2, S, BUILD",
    "2, SS, REVIEW",
    "2, SSR, BUILD",
    "2, SSX, BUILD",
    "2, SSXS, REVIEW",
    "2, SFS, REVIEW",
    "0, SS, BUILD",
  })
  void review_isDueAfterIterations(int every, String iterations, Iteration.Role role) {
    FakeView view = new FakeView(EnumSet.noneOf(Fact.class));
    LiveSession session = session("review-" + every + iterations);
    for (char each : iterations.toCharArray()) {
      boolean isReview = each == 'R' || each == 'X';
      int number = begin(session, isReview ? Iteration.Role.REVIEW.word() : null);
      boolean isWell = each == 'S' || each == 'R';
      session
          .iterations()
          .complete(
              number,
              isWell ? Iteration.Status.SUCCESS : Iteration.Status.FAILURE,
              null,
              Usage.NONE);
    }
    view.iterations = session.iterations().list();

    assertThat(policy(false, every).role(view)).isEqualTo(role);
  }

  private static int begin(LiveSession session, @Nullable String role) {
    return session.iterations().start(role, ProcessIdentity.current(), 0, null).number();
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, false, PLAN",
    "true, true, false, BUILD",
    "false, false, true, BUILD",
  })
  void planner_worksWithoutTasks(
      boolean hasPlanner, boolean hasTasks, boolean hasUnread, Iteration.Role role) {
    FakeView view = new FakeView(EnumSet.noneOf(Fact.class));
    view.hasTasks = hasTasks;
    view.unread = hasUnread ? "1 message is not read yet: m1 hello" : null;

    assertThat(policy(hasPlanner, 0).role(view)).isEqualTo(role);
  }

  @Test
  void blockedTask_isNamedWithTheRemedy() {
    Set<Fact> holds = EnumSet.of(Fact.OUT_OF_ATTEMPTS);

    NextAction next =
        policy(false, 0)
            .next(new FakeView(holds), facts(holds, new LoopFacts.LoneAgent(NONE)), NOW);

    assertThat(next).isInstanceOf(NextAction.End.class);
    assertThat(((NextAction.End) next).ending().detail())
        .startsWith("t1 is blocked after 1 failed attempts: ")
        .endsWith("set the task to remaining: ralph task status t1 remaining");
  }

  @Test
  void endWithoutProgress_namesTheRefusal() {
    Set<Fact> holds = EnumSet.of(Fact.IDLE);
    FakeView view = new FakeView(holds);
    view.refusal = "completion was refused: gate failed: check";

    NextAction next = policy(false, 0).next(view, facts(holds, new LoopFacts.LoneAgent(NONE)), NOW);

    assertThat(next).isInstanceOf(NextAction.End.class);
    assertThat(((NextAction.End) next).ending().detail())
        .startsWith("nothing has changed in 2 iterations: ")
        .endsWith("; completion was refused: gate failed: check");
  }

  @Test
  void timeLimitBeforeTheEndOfTheBackoff_endsTheWait() {
    LoopDeadline soon = LoopDeadline.after(NOW, Duration.ofMillis(1));
    LoopFacts facts =
        new LoopFacts(
            null,
            soon,
            null,
            null,
            1,
            true,
            false,
            IdleCount.of(MOST, 0),
            new LoopFacts.LoneAgent(FAILED));

    assertThat(policy(false, 0).next(new FakeView(EnumSet.noneOf(Fact.class)), facts, NOW))
        .isEqualTo(new NextAction.Wait(FAILED.notice(), soon));
  }

  @Test
  void openQuestions_areNamedInTheNotice() {
    assertThat(WaitNotice.questions(List.of("q1")).message())
        .isEqualTo("waiting for an answer to q1");
    assertThat(WaitNotice.questions(List.of("q1", "q2")).message())
        .isEqualTo("waiting for answers to q1, q2");
  }

  @Test
  void questionThatIsNotAwaited_delaysNothing() {
    LoopRules rules = new LoopRules(0, 3, false, false, true, 0);
    Set<Fact> holds = EnumSet.of(Fact.QUESTION_OPEN);

    NextAction next =
        new LoopPolicy(rules)
            .next(new FakeView(holds), facts(holds, new LoopFacts.LoneAgent(NONE)), NOW);

    assertThat(next).isEqualTo(new NextAction.Run(Iteration.Role.BUILD));
  }

  @Test
  void idleCount_namesUnreadMessagesAndOpenQuestions() {
    IdleCount idle =
        IdleCount.of(1, 0).after(Iteration.Role.BUILD, Iteration.Status.SUCCESS, false);
    String nothing =
        "nothing has changed in 1 iteration: no task, note, message or question of the session, no"
            + " commit, no file";

    assertThat(idle.reason(null, 0)).isEqualTo(nothing);
    assertThat(idle.reason("1 message is not read yet: m1 hello", 1))
        .isEqualTo(
            nothing + "; 1 message is not read yet: m1 hello; 1 question waits for an answer");
    assertThat(idle.reason(null, 2)).isEqualTo(nothing + "; 2 questions wait for answers");
  }
}
