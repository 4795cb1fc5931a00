package dev.ralph.core.internal.loop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.core.internal.loop.RunFixture;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.IdleCount;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.policy.LoopPolicy;
import dev.ralph.core.internal.loop.policy.LoopRules;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The reasons for the end of a loop, and their order of precedence. */
class RunFactsTest extends RunFixture {

  private static final int MAX_FAILURES = 3;
  private static final AgentOutcome FAILED = AgentOutcome.of(AgentResult.failure("no luck"));

  private IdleCount idle = IdleCount.of(2, 0);
  private Completion completion;
  private Rules endings;

  /** The rules of one loop, with its decision. */
  private final class Rules {

    private final LoopPolicy policy;
    private final Completion host;
    private final RunFacts facts = new RunFacts(run, changes(false), idle);

    private Rules(int maxIterations, int maxFailures, Predicate<Session> done) {
      policy = new LoopPolicy(new LoopRules(maxIterations, maxFailures, false, false, false, 0));
      host = new Completion(session, done, (iteration, limit) -> List.of(), cancellation, events());
    }

    private LoopFacts collect() {
      return facts.collect(
          facts.ending(), new LoopFacts.LoneAgent(Backoff.none(Duration.ZERO, time.nanos())));
    }

    private @Nullable LoopEnding decided() {
      return facts.ending();
    }

    private boolean isDecided() {
      return decided() != null;
    }

    private void afterAgent(AgentOutcome outcome, int failures) {
      facts.ended(Iteration.Role.REVIEW, outcome, true);
      facts.decideByAgent(policy.afterAgent(outcome, failures, collect(), time.nanos()));
      if (outcome.isAbandoned()) {
        besideAgent(limits.last());
      }
    }

    private void besideAgent(int iteration) {
      facts.decide(LoopPolicy.besideAgent(iteration, limits.timeLimit().isUp()));
    }

    private boolean between() {
      run.readNewFrames();
      while (true) {
        NextAction action = policy.settle(new SeenView(run.seen(), host), collect(), time.nanos());
        if (action instanceof NextAction.AskHost) {
          facts.answered(host.claimIfDone());
          continue;
        }
        if (action instanceof NextAction.End end) {
          facts.decide(end.ending());
        }
        return action instanceof NextAction.Judge;
      }
    }

    private void judged(boolean granted) {
      facts.judged(granted, LoopPolicy.afterRefusal(limits.timeLimit().isUp()));
    }

    private LoopEnding atClose(@Nullable RalphException refused) {
      return facts.atClose(refused);
    }
  }

  @BeforeEach
  void begin() {
    completion = completion(Gate.named("check", context -> Verdict.failed("why\nand how")));
    endings = endings(2, s -> false);
  }

  private Rules endings(int maxIterations, Predicate<Session> done) {
    return endings(maxIterations, MAX_FAILURES, done);
  }

  private Rules endings(int maxIterations, int maxFailures, Predicate<Session> done) {
    return new Rules(maxIterations, maxFailures, done);
  }

  private boolean between(Rules endings) {
    return endings.between();
  }

  private void iterations(int count) {
    for (int i = 1; i <= count; i++) {
      limits.begin(i, Limits.NONE);
    }
  }

  private void timeIsUp() {
    limits.limit(time.box(Duration.ofSeconds(1)));
    clock.advance(Duration.ofSeconds(1));
  }

  private void idle(int times) {
    for (int i = 0; i < times; i++) {
      idle = idle.after(Iteration.Role.BUILD, Iteration.Status.SUCCESS, false);
    }
  }

  private void spend() {
    limits.budget().add(Usage.of(100, 0, null));
  }

  // ---- after an agent

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "0, -",
        "2, -",
        "3, 3 failures in a row; the last iteration failed: no luck",
        "4, 4 failures in a row; the last iteration failed: no luck",
      })
  void maxFailuresInARow_endTheLoop(int failures, String detail) {
    endings.afterAgent(FAILED, failures);

    assertThat(endings.isDecided()).isEqualTo(detail != null);
    assertThat(endings.decided())
        .isEqualTo(detail == null ? null : new LoopEnding(StopReason.FAILURES, detail));
  }

  @Test
  void singleFailure_isNotCalledARow() {
    Rules strict = endings(2, 1, s -> false);

    strict.afterAgent(FAILED, 1);

    assertThat(strict.decided())
        .isEqualTo(new LoopEnding(StopReason.FAILURES, "the iteration failed: no luck"));
  }

  @Test
  void budgetAndTimeLimit_takePrecedenceOverFailures() {
    spend();
    endings.afterAgent(FAILED, MAX_FAILURES);
    assertThat(endings.decided()).isNull();
    between(endings);
    assertThat(endings.decided().reason()).isEqualTo(StopReason.BUDGET);

    timeIsUp();
    Rules late = endings(2, s -> false);
    late.afterAgent(FAILED, MAX_FAILURES);
    between(late);
    assertThat(late.decided()).isEqualTo(new LoopEnding(StopReason.TIME_LIMIT, null));
  }

  @Test
  void fatalResult_endsTheLoopAtOnce() {
    iterations(1);
    AgentOutcome fatal = AgentOutcome.of(AgentResult.fatal("no such program"));

    endings.afterAgent(fatal, MAX_FAILURES);
    endings.besideAgent(limits.last());

    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.FAILURES, "no such program"));
  }

  @Test
  void agentStillRunning_endsWithTimeLimitOrFailure() {
    iterations(4);
    AgentOutcome abandoned = AgentOutcome.cutOff(Iteration.Status.TIMEOUT, null, false);
    String words = "the agent of iteration 4 was told to end but still runs";

    endings.afterAgent(abandoned, 0);
    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.FAILURES, words));

    timeIsUp();
    Rules late = endings(0, s -> false);
    late.afterAgent(abandoned, 0);
    assertThat(late.decided()).isEqualTo(new LoopEnding(StopReason.TIME_LIMIT, words));
  }

  @Test
  void cancelledLoop_isInterruptedWithAgentStillRunning() {
    cancellation.request("enough");

    endings.besideAgent(limits.last());

    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.INTERRUPTED, "enough"));
  }

  // ---- between two iterations

  @Test
  void severalReasons_firstInOrderCounts() {
    iterations(2);
    between(endings);
    assertThat(endings.decided().reason()).isEqualTo(StopReason.MAX_ITERATIONS);

    idle(2);
    Rules idle = endings(2, s -> false);
    between(idle);
    assertThat(idle.decided().reason()).isEqualTo(StopReason.NO_PROGRESS);

    spend();
    Rules spent = endings(2, s -> false);
    between(spent);
    assertThat(spent.decided().reason()).isEqualTo(StopReason.BUDGET);
    assertThat(spent.decided().detail()).contains("the budget of 100 tokens is used up");

    session.control().complete();
    Rules claimed = endings(2, s -> false);
    assertThat(between(claimed)).as("a claim is judged first").isTrue();
    assertThat(claimed.decided()).isNull();

    timeIsUp();
    Rules late = endings(2, s -> false);
    assertThat(between(late)).isFalse();
    assertThat(late.decided()).isEqualTo(new LoopEnding(StopReason.TIME_LIMIT, null));

    session.control().stop("lunch");
    Rules stopped = endings(2, s -> false);
    assertThat(between(stopped)).isFalse();
    assertThat(stopped.decided()).isEqualTo(new LoopEnding(StopReason.STOPPED, "lunch"));

    cancellation.request("enough");
    Rules cancelled = endings(2, s -> false);
    assertThat(between(cancelled)).isFalse();
    assertThat(cancelled.decided()).isEqualTo(new LoopEnding(StopReason.INTERRUPTED, "enough"));
    assertThat(stopped.decided().reason()).as("unchanged").isEqualTo(StopReason.STOPPED);
  }

  @ParameterizedTest
  @CsvSource({"0, 9, false", "2, 1, false", "2, 2, true", "2, 3, true"})
  void maxIterations_endTheLoop(int allowed, int begun, boolean ends) {
    iterations(begun);
    Rules limited = endings(allowed, s -> false);

    assertThat(between(limited)).isFalse();

    assertThat(limited.isDecided()).isEqualTo(ends);
  }

  @Test
  void doneWhen_isAskedOncePerIteration() {
    AtomicInteger asked = new AtomicInteger();
    Rules endings =
        endings(
            0,
            s -> {
              asked.incrementAndGet();
              return false;
            });

    between(endings);
    assertThat(between(endings)).isFalse();
    assertThat(asked).hasValue(1);
    iterations(1);
    between(endings);
    between(endings);
    assertThat(asked).hasValue(2);
    cancellation.request("enough");
    iterations(1);
    between(endings);
    assertThat(asked).as("not asked after the decision").hasValue(2);
  }

  @Test
  void doneWhen_claimsUnlessATaskIsOpen() {
    session.tasks().add("one");
    Rules endings = endings(0, s -> true);

    assertThat(between(endings)).isFalse();
    assertThat(session.control().steering().claimed()).isFalse();

    session.tasks().complete("t1");
    iterations(1);
    assertThat(between(endings)).isTrue();
    assertThat(session.control().steering().claimed()).isTrue();
  }

  // ---- judged claims

  @Test
  void grantedClaim_completesAfterTheTimeLimit() {
    timeIsUp();

    endings.judged(true);

    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.COMPLETED, null));
  }

  @Test
  void ungrantedClaim_endsTheLoopAfterTheTimeLimit() {
    endings.judged(false);
    assertThat(endings.decided()).isNull();

    timeIsUp();
    endings.judged(false);
    assertThat(endings.decided())
        .isEqualTo(new LoopEnding(StopReason.TIME_LIMIT, "the gates were still running"));
  }

  @Test
  void cancellation_takesPrecedenceOverTheTimeLimit() {
    timeIsUp();
    cancellation.request("enough");

    endings.judged(false);

    assertThat(endings.decided().reason()).isEqualTo(StopReason.INTERRUPTED);
  }

  // ---- remaining work

  /**
   * The numbers of open tasks, completed tasks and unread messages; R if completion was refused;
   * and the remaining work.
   */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "0, 0, 0, -, -",
        "0, 0, 1, -, 1 message is not read yet: m1 hello",
        "1, 0, 0, -, 1 task left",
        "2, 1, 0, -, 2 tasks left",
        "1, 0, 1, -, 1 task left; 1 message is not read yet: m1 hello",
        "0, 1, 1, -, 'no task is left, but 1 message is not read yet: m1 hello'",
        "0, 1, 0, -, 'no task is left, but no agent called complete'",
        "0, 1, 0, R, 'no task is left, but completion was refused: gate failed: check'",
      })
  void lastIteration_namesTheRemainingWork(
      int open, int done, int unread, String refused, String left) {
    for (int i = 0; i < done; i++) {
      session.tasks().complete(session.tasks().add("done").id());
    }
    for (int i = 0; i < open; i++) {
      session.tasks().add("open");
    }
    for (int i = 0; i < unread; i++) {
      session.inbox().send("hello");
    }
    if (refused != null) {
      session.control().complete();
      completion.judge(1, time.box(null));
    }
    iterations(2);

    between(endings);
    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.MAX_ITERATIONS, left));

    Rules failed = endings(2, s -> false);
    failed.afterAgent(FAILED, 1);
    between(failed);
    assertThat(failed.decided().detail())
        .isEqualTo((left == null ? "" : left + "; ") + "the last iteration failed: no luck");
  }

  @Test
  void failureFollowedBySuccess_isNotNamed() {
    iterations(2);
    endings.afterAgent(FAILED, 1);
    endings.afterAgent(AgentOutcome.of(AgentResult.success()), 0);

    between(endings);

    assertThat(endings.decided()).isEqualTo(new LoopEnding(StopReason.MAX_ITERATIONS, null));
  }

  // ---- closing

  @Test
  void closedLoop_namesStoreFailureUnlessDecidedBefore() {
    RalphException refused = RalphException.invalid("the disk is full");
    LoopEnding byStore = new LoopEnding(StopReason.STORE_FAILED, "the disk is full");

    assertThat(endings.atClose(null))
        .isEqualTo(new LoopEnding(StopReason.INTERRUPTED, RunFacts.CLOSED));
    assertThat(endings.atClose(refused)).isEqualTo(byStore);
    endings.judged(true);
    assertThat(endings.atClose(refused).reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(endings.atClose(null).reason()).isEqualTo(StopReason.COMPLETED);

    Rules closed = endings(2, s -> false);
    cancellation.request(RunFacts.CLOSED);
    assertThat(closed.atClose(refused)).isEqualTo(byStore);
  }

  /** The source of each reason. A new reason needs a row. */
  @ParameterizedTest
  @EnumSource
  void eachReason_isFinal(StopReason reason) {
    LoopEnding elsewhere = new LoopEnding(reason, "found outside of the rules");
    switch (reason) {
      case COMPLETED -> endings.judged(true);
      case FAILURES -> endings.afterAgent(AgentOutcome.of(AgentResult.fatal("no program")), 0);
      // Found when an agent, a gate, or the repository is prepared, when work is merged, when the
      // store fails, by the loop over the stories of a change, or after the session was lost.
      case CANNOT_START, GATE_FAILED, REPOSITORY_LOCKED, STORE_FAILED, PLAN_CHANGED, LOST ->
          endings.facts.decide(elsewhere);
      case INTERRUPTED -> cancellation.request("enough");
      case STOPPED -> session.control().stop("lunch");
      case TIME_LIMIT -> timeIsUp();
      case BUDGET -> spend();
      case NO_PROGRESS -> {
        idle(2);
        endings = endings(2, s -> false);
      }
      case TASKS_BLOCKED -> block();
      case MAX_ITERATIONS -> iterations(2);
    }
    between(endings);

    assertThat(endings.decided()).isNotNull().extracting(LoopEnding::reason).isEqualTo(reason);
    endings.facts.decide(new LoopEnding(StopReason.COMPLETED, null));
    assertThat(endings.decided().reason()).as("the first reason is final").isEqualTo(reason);
  }

  private void block() {
    Task task = session.tasks().add("one");
    Claim claim =
        session
            .tasks()
            .claimNextFor("ann", Duration.ofHours(1), 1, next -> "ralph/s.t1")
            .orElseThrow();
    session.tasks().status(task.id(), StatusChange.to(Task.Status.COMPLETED).under(claim.token()));
    session.tasks().failAttempt(task.id(), claim.token(), "the gate failed", 1);
  }

  @Test
  void exception_endsWithFailureAndItsMessage() {
    assertThat(LoopPolicy.atFault(new IllegalStateException("odd")))
        .isEqualTo(new LoopEnding(StopReason.FAILURES, "java.lang.IllegalStateException: odd"));
  }
}
