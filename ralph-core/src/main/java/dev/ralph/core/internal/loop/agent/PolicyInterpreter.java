package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.policy.LoopFacts.AgentFacts;
import dev.ralph.core.internal.loop.policy.LoopPolicy;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.loop.policy.PolicyView;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.RunLimits;
import dev.ralph.core.internal.loop.run.TimeBox;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the policy for the next action, and performs actions that concern the whole run: questions
 * to the host, decisions on completion, and the end. Used only by the thread that steps.
 */
public final class PolicyInterpreter {

  private final LoopPolicy policy;
  private final LoopSession session;
  private final LoopReporter reporter;
  private final RunFacts facts;
  private final Completion completion;

  public PolicyInterpreter(
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

  /** A rule of the policy. */
  private interface Rule {
    NextAction decide(PolicyView view, LoopFacts facts, long now);
  }

  /**
   * Returns the next action as of the last read: neither AskHost nor Judge. Records an end.
   *
   * @param agents collects the facts about the agents
   */
  public NextAction next(Supplier<? extends AgentFacts> agents) {
    return perform(policy::next, agents, true);
  }

  /** Ends the run if no other iteration can follow; decides a claim of completion before. */
  public void settle(Supplier<? extends AgentFacts> agents) {
    NextAction unused = perform(policy::settle, agents, false);
  }

  /** Returns whether no further iteration may begin, as of the last read. */
  public boolean isNearEnd(AgentFacts agents) {
    return policy.isNearEnd(view(), facts.collect(facts.ending(), agents), session.time().nanos());
  }

  public RunFacts facts() {
    return facts;
  }

  Completion completion() {
    return completion;
  }

  /** Returns the role of the next iteration as of the last read. */
  public Iteration.Role role() {
    return policy.role(view());
  }

  private PolicyView view() {
    return new SeenView(session.seen(), completion);
  }

  /** Returns the reason why an agent stops after an outcome; null if it continues. */
  @Nullable LoopEnding afterAgent(AgentOutcome outcome, Backoff backoff) {
    LoopFacts known = facts.collect(facts.ending(), new LoopFacts.LoneAgent(backoff));
    return policy.afterAgent(outcome, backoff.failures().tries(), known, session.time().nanos());
  }

  /** Ends the run because a cancelled agent has not ended. */
  public void endBesideAgent(int iteration) {
    TimeBox limit = session.limits().timeLimit();
    facts.decide(LoopPolicy.besideAgent(iteration, limit.isUp()));
  }

  /**
   * Performs questions to the host and decisions on completion until another action is due.
   *
   * @param readsAgain whether to read the session again after a question to the host, which may
   *     take long
   */
  private NextAction perform(Rule rule, Supplier<? extends AgentFacts> agents, boolean readsAgain) {
    PolicyView view = view();
    LoopEnding ending = facts.ending();
    long now = session.time().nanos();
    boolean wasAsked = false;
    while (true) {
      NextAction action = rule.decide(view, facts.collect(ending, agents.get()), now);
      if (action instanceof NextAction.AskHost) {
        facts.answered(completion.claimIfDone());
        wasAsked = readsAgain;
        continue; // with the same view, ending and time, so the limits apply as of the question
      }
      if (action instanceof NextAction.End end) {
        facts.decide(end.ending());
        return action;
      }
      if (action instanceof NextAction.Judge) {
        judge();
      } else if (wasAsked && !(action instanceof NextAction.EndStep)) {
        session.readNewFrames(); // a beginning or a wait depends on the newest state
        wasAsked = false;
      } else {
        return action;
      }
      view = view();
      ending = facts.ending();
      now = session.time().nanos();
    }
  }

  /** Decides a claim, then reads the frames that were appended meanwhile. */
  private void judge() {
    facts.answered(false);
    RunLimits limits = session.limits();
    boolean isGranted = completion.judge(limits.last(), limits.timeLimit());
    facts.judged(isGranted, LoopPolicy.afterRefusal(limits.timeLimit().isUp()));
    session.readNewFrames();
    reporter.conversation().report();
  }
}
