package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.policy.LoopPolicy;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.loop.policy.PolicyView;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the policy for the next action, and performs actions that concern the whole run: questions
 * to the host, decisions on completion, and the end. Used only by the thread that steps.
 */
final class PolicyInterpreter {

  private final LoopPolicy policy;
  private final LoopSession session;
  private final LoopReporter reporter;
  private final RunFacts facts;
  private final Completion completion;

  PolicyInterpreter(
      LoopPolicy policy,
      LoopSession session,
      LoopReporter reporter,
      RunFacts facts,
      Completion completion) {
    this.policy = policy;
    this.session = session;
    this.reporter = reporter;
    this.facts = facts;
    this.completion = completion;
  }

  /** A rule of the policy; null if nothing is due. */
  private interface Rule {
    @Nullable NextAction decide(PolicyView view, LoopFacts facts, long now);
  }

  /**
   * Returns the next action as of the last look: neither AskHost nor Judge. Records an end.
   *
   * @param agents collects the facts about the agents
   */
  NextAction next(Supplier<LoopFacts.AgentFacts> agents) {
    return Objects.requireNonNull(perform(policy::next, agents, true), "an action is due");
  }

  /** Ends the run if no other iteration can follow; decides a claim of completion before. */
  void settle(Supplier<LoopFacts.AgentFacts> agents) {
    NextAction unused = perform(policy::settle, agents, false);
  }

  /** Returns whether one more worker may get a task, as of the last look. */
  boolean mayAssignNext(Supplier<LoopFacts.AgentFacts> agents) {
    return policy.mayAssignNext(
        new SeenView(session.seen(), completion),
        facts.collect(agents.get()),
        session.time().nanos());
  }

  boolean isDecided() {
    return facts.decision().ending() != null;
  }

  RunFacts facts() {
    return facts;
  }

  Completion completion() {
    return completion;
  }

  /** Returns the role of the next iteration as of the last look. */
  Iteration.Role role() {
    return policy.role(new SeenView(session.seen(), completion));
  }

  /**
   * Records the outcome of an iteration after its usage was added.
   *
   * @param changed whether the iteration changed anything
   * @return the reason why the agent stops; null if it continues
   */
  @Nullable LoopEnding afterAgent(
      Iteration.Role role, AgentOutcome outcome, boolean changed, AgentPauses pauses) {
    facts.ended(role, outcome, changed);
    int failures = pauses.ended(outcome, facts.idle().isStuck());
    // Only a building agent can repair the reasons of a rejected completion.
    if (outcome.status() == Iteration.Status.SUCCESS && role == Iteration.Role.BUILD) {
      completion.forgetRefusal();
    }
    return policy.afterAgent(
        outcome,
        failures,
        facts.collect(new LoopFacts.LoneAgent(pauses.backoff())),
        session.time().nanos());
  }

  /** Ends the run because a cancelled agent has not ended. */
  void endBesideAgent(int iteration) {
    facts
        .decision()
        .decide(
            LoopPolicy.besideAgent(
                iteration, session.limits().timeLimit().deadline(), session.time().nanos()));
  }

  /**
   * Performs questions to the host and decisions on completion until another action is due.
   *
   * @param looksAgain whether to look after a question to the host, which may take long
   */
  private @Nullable NextAction perform(
      Rule rule, Supplier<LoopFacts.AgentFacts> agents, boolean looksAgain) {
    PolicyView view = new SeenView(session.seen(), completion);
    LoopFacts known = facts.collect(agents.get());
    boolean wasAsked = false;
    while (true) {
      NextAction action = rule.decide(view, known, session.time().nanos());
      if (action instanceof NextAction.AskHost) {
        known = known.answered(askHost()); // the same view, so the limits apply as of the question
        wasAsked = looksAgain;
        continue;
      }
      if (action instanceof NextAction.End end) {
        facts.decision().decide(end.ending());
      }
      if (action instanceof NextAction.Judge) {
        judge();
      } else if (wasAsked && isBeginOrWait(action)) {
        session.look();
        wasAsked = false;
      } else {
        return action;
      }
      view = new SeenView(session.seen(), completion);
      known = facts.collect(agents.get());
    }
  }

  /** Returns whether an action depends on the newest state, unlike an end of the run or step. */
  private static boolean isBeginOrWait(@Nullable NextAction action) {
    return !(action instanceof NextAction.End) && !(action instanceof NextAction.EndStep);
  }

  private boolean askHost() {
    boolean claimed = completion.claimIfDone();
    facts.answered(claimed);
    return claimed;
  }

  /** Decides a claim, then reads the frames that were appended meanwhile. */
  private void judge() {
    facts.judging();
    RunLimits limits = session.limits();
    if (completion.judge(limits.last(), limits.timeLimit())) {
      facts.decision().complete();
    } else {
      facts
          .decision()
          .decide(LoopPolicy.afterRefusal(limits.timeLimit().deadline(), session.time().nanos()));
    }
    session.look();
    reporter.conversation().tell();
  }
}
