package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of facts and reasons: which reason ends a loop, for each combination of facts. */
class EndingsTableTest extends RunFixture {

  /** A fact between two iterations. The first fact that holds decides. */
  private enum Fact {
    CANCELLED(StopReason.INTERRUPTED),
    STOP_ORDERED(StopReason.STOPPED),
    TIME_IS_UP(StopReason.TIME_LIMIT),
    /** A claim of completion is judged first; the loop does not end before. */
    CLAIMED(null),
    BUDGET_SPENT(StopReason.BUDGET),
    IDLE(StopReason.NO_PROGRESS),
    OUT_OF_ATTEMPTS(StopReason.TASKS_BLOCKED),
    ITERATIONS_USED(StopReason.MAX_ITERATIONS);

    final @Nullable StopReason reason;

    Fact(@Nullable StopReason reason) {
      this.reason = reason;
    }
  }

  private static final int MOST = 2;

  /** One loop with its own session. */
  private final class Case {

    final LiveSession own;
    final Cancellation cancelled = new Cancellation();
    final LoopSettings settings = settings(MOST, 3, List.of(), (Session s) -> false);
    final RunLimits used = new RunLimits(settings, time);
    final ProgressWatch watched = progress(MOST, 0);
    final LoopSession loop;
    final Endings endings;

    Case(String name) {
      own = (LiveSession) ralph.session(name);
      loop = new LoopSession(own, settings, used, cancelled);
      endings = new Endings(loop, settings, completion(), watched);
    }

    ControlState steering() {
      loop.look();
      return loop.seen().control().steering();
    }

    void holds(Fact fact) {
      switch (fact) {
        case CANCELLED -> cancelled.request("enough");
        case STOP_ORDERED -> own.control().stop("lunch");
        case TIME_IS_UP -> used.limit(time.box(Duration.ZERO));
        case CLAIMED -> own.control().complete();
        case BUDGET_SPENT -> used.budget().add(Usage.of(100, 0, null));
        case IDLE -> {
          for (int i = 0; i < MOST; i++) {
            watched.begin();
            watched.ended(Iteration.Role.BUILD, Iteration.Status.SUCCESS);
          }
        }
        case OUT_OF_ATTEMPTS -> block(own);
        case ITERATIONS_USED -> {
          used.begin(1, Limits.NONE);
          used.begin(MOST, Limits.NONE);
        }
      }
    }
  }

  private static void block(LiveSession session) {
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
  void eachCombinationOfFacts_endsForTheFirst() {
    List<String> wrong = new ArrayList<>();
    int combinations = 1 << Fact.values().length;
    for (int bits = 0; bits < combinations; bits++) {
      Set<Fact> facts = EnumSet.noneOf(Fact.class);
      for (Fact fact : Fact.values()) {
        if ((bits & 1 << fact.ordinal()) != 0) {
          facts.add(fact);
        }
      }
      Case one = new Case("s" + bits);
      facts.forEach(one::holds);

      boolean judges = one.endings.between(one.steering());

      Fact first = facts.isEmpty() ? null : facts.iterator().next();
      LoopEnding ending = one.endings.decided();
      StopReason expected = first == null ? null : first.reason;
      if (judges != (first == Fact.CLAIMED)
          || expected != (ending == null ? null : ending.reason())) {
        wrong.add(facts + ": " + ending + (judges ? ", judges the claim" : ""));
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Each fact except a pending claim keeps further agents from starting beside a running agent. */
  @ParameterizedTest
  @EnumSource
  void eachFact_keepsFurtherAgentsFromStarting(Fact fact) {
    Case one = new Case("s");
    assertThat(one.endings.areNear(one.steering())).isFalse();

    one.holds(fact);

    assertThat(one.endings.areNear(one.steering())).isEqualTo(fact != Fact.CLAIMED);
  }

  /** The facts that lead to each reason. A new reason needs a row. */
  @ParameterizedTest
  @EnumSource
  void eachReason_hasFacts(StopReason reason) {
    Case one = new Case("s");
    Endings endings = one.endings;
    LoopEnding elsewhere = new LoopEnding(reason, "found outside of the rules");
    switch (reason) {
      case COMPLETED -> endings.judged(true);
      case FAILURES -> endings.afterAgent(AgentOutcome.of(AgentResult.fatal("no program")), 0);
      // Found when an agent, a gate, or the repository is prepared, or work is merged.
      case CANNOT_START, GATE_FAILED, REPOSITORY_LOCKED -> endings.decide(elsewhere);
      case STORE_FAILED -> {
        assertThat(endings.atClose(RalphException.invalid("no space")).reason()).isEqualTo(reason);
        endings.decide(elsewhere);
      }
      // PLAN_CHANGED comes from the loop over the stories of a change. LOST replaces another reason
      // after the loop has lost its claim on the session.
      case PLAN_CHANGED, LOST -> endings.decide(elsewhere);
      case INTERRUPTED -> one.holds(Fact.CANCELLED);
      case STOPPED, TIME_LIMIT, BUDGET, NO_PROGRESS, TASKS_BLOCKED, MAX_ITERATIONS -> {
        for (Fact fact : Fact.values()) {
          if (fact.reason == reason) {
            one.holds(fact);
          }
        }
        endings.between(one.steering());
      }
    }

    assertThat(endings.decided()).isNotNull().extracting(LoopEnding::reason).isEqualTo(reason);
    endings.decide(new LoopEnding(StopReason.COMPLETED, null));
    assertThat(endings.decided().reason()).as("the first reason is final").isEqualTo(reason);
  }
}
