package dev.ralph.core.internal.control;

import dev.ralph.Control;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The control of a session's loop, decided on the session's frames, with the methods that the loop
 * needs.
 */
public final class LedgerControl implements Control {

  private final Ledger<ControlState> ledger;
  private final Topic topic;
  private final ControlDecider decider;
  private final OutstandingWork work;
  private final ActivityLog activities;
  private final Predicate<ControlState.Run> isLive;

  /**
   * Creates the control of a present or past session.
   *
   * @param isLive returns whether a run without a recorded end is or may be live
   */
  public LedgerControl(
      Ledger<ControlState> ledger,
      Topic topic,
      OutstandingWork work,
      ActivityLog activities,
      Predicate<ControlState.Run> isLive) {
    this.ledger = ledger;
    this.topic = topic;
    this.decider = new ControlDecider(topic);
    this.work = work;
    this.activities = activities;
    this.isLive = isLive;
  }

  @Override
  public void complete() {
    ledger.decide(
        "claiming completion on " + topic,
        work.frames(),
        (steering, now) -> decider.claimCompletion(steering, refusals(steering)));
  }

  @Override
  public void pause() {
    order("pause", (steering, now) -> decider.pause(steering));
  }

  @Override
  public void resume() {
    order("resume", (steering, now) -> decider.resume(steering));
  }

  @Override
  public void stop(@Nullable String reason) {
    order("stop", (steering, now) -> decider.stop(steering, reason));
  }

  @Override
  public void raise(More more) {
    Objects.requireNonNull(more, "more");
    order("raise", (steering, now) -> decider.raise(steering, more, isLive));
  }

  @Override
  public void loopIsGone() {
    order("loop_end", (steering, now) -> decider.loopIsGone(steering, isLive));
  }

  @Override
  public boolean isPaused() {
    return ledger.state().paused();
  }

  @Override
  public boolean isStopping() {
    ControlState now = ledger.state();
    ControlState.Run run = now.run();
    return now.stop() != null && run != null && isLive.test(run);
  }

  @Override
  public boolean isCompleted() {
    return ledger.state().completed() && work.areTasksSettled();
  }

  @Override
  public Optional<RunningLoop> running() {
    ControlState.Run run = ledger.state().run();
    if (run == null) {
      return Optional.empty();
    }
    ProcessIdentity process = run.process();
    return Optional.of(
        new RunningLoop(
            process.host(),
            process.pid(),
            isLive.test(run),
            run.from(),
            run.limit(),
            run.agents(),
            run.until()));
  }

  @Override
  public Optional<LoopEnd> lastEnd() {
    return Optional.ofNullable(ledger.state().ended());
  }

  @Override
  public List<Activity> activities() {
    ControlState.Run run = ledger.state().run();
    return run != null && isLive.test(run) ? activities.of(run.token()) : List.of();
  }

  // ---- for the loop

  /** Returns the frame for the beginning of a run's activity. */
  public Draft begins(RunToken run, Activity activity) {
    return activities.begin(run, activity);
  }

  /**
   * Returns the frame for the end of an activity.
   *
   * @param agent the agent's number; 0 for the run as a whole
   */
  public Draft ends(RunToken run, int agent) {
    return activities.end(run, agent);
  }

  /**
   * Appends the start of a run. Does nothing if the start is already recorded.
   *
   * @param token the run's token, held while the loop runs
   * @param next the number of the loop's first iteration
   * @param limit the maximum number of iterations, 0 for no limit
   * @param agents the number of concurrent agents, at least 1
   * @param lease the time until the session is free without a heartbeat; null if the session is
   *     free only after the end of the process
   * @return false if the session had no run without a recorded end
   * @throws dev.ralph.log.RalphException CONTENDED if another run is live, or can't be checked
   */
  public boolean startLoop(
      ProcessIdentity process,
      RunToken token,
      int next,
      int limit,
      int agents,
      @Nullable Duration lease) {
    AtomicBoolean hadRun = new AtomicBoolean();
    ledger.decide(
        "beginning a loop on " + topic,
        (steering, now) -> {
          hadRun.set(steering.run() != null); // the last decision counts
          return decider.startLoop(
              steering, process, token.text(), next, limit, agents, lease, isLive);
        });
    return hadRun.get();
  }

  /**
   * Appends a heartbeat. Does nothing and returns false if the session does not belong to the run.
   */
  public boolean alive(RunToken token) {
    return ledger.decide(
        "appending loop_alive to " + topic,
        (steering, now) -> decider.alive(steering, token.text()));
  }

  /**
   * Returns a description of the present owner of the session; null if the token's run owns the
   * session.
   */
  public @Nullable String lostBy(RunToken token) {
    ControlState.Run run = ledger.state().run();
    if (run == null) {
      return "this loop was declared dead (ralph stop --gone)";
    }
    return run.isOf(token)
        ? null
        : "another loop took over the session, in process "
            + run.process().pid()
            + " on "
            + run.process().host();
  }

  /**
   * Returns the number of the first iteration of the present run, which a killed loop may have
   * started; 0 for no run.
   */
  public int firstOfRun() {
    ControlState.Run run = ledger.state().run();
    return run == null ? 0 : run.first();
  }

  /** Appends the end of a run with a line of details. Does nothing if another run is present. */
  public void endLoop(RunToken token, String reason, @Nullable String detail) {
    order("loop_end", (steering, now) -> decider.endLoop(steering, token.text(), reason, detail));
  }

  /** Returns the whole control state at one moment. */
  public ControlState steering() {
    return ledger.state();
  }

  /**
   * Claims completion for the host, unless work is outstanding that an agent has to do first.
   *
   * @return whether completion is claimed
   */
  public boolean claimIfDone() {
    return ledger.decide(
        "claiming completion on " + topic,
        work.frames(),
        (steering, now) -> decider.claimIfDone(steering, refusals()));
  }

  /**
   * Grants a claimed completion.
   *
   * @return false, without a change, if completion is not claimed or work is outstanding
   */
  public boolean grantCompletion() {
    return ledger.decide(
        "granting completion on " + topic,
        work.frames(),
        (steering, now) -> decider.grantCompletion(steering, refusals()));
  }

  /** Returns the reasons against completion, each with a remedy for an agent. */
  public List<String> refusals() {
    return work.reasons();
  }

  /**
   * Returns the reasons against a claim by a running agent. The claim of one of several agents is a
   * request. The leased tasks and the merge queue are checked when no agent works.
   */
  private List<String> refusals(ControlState steering) {
    ControlState.Run run = steering.run();
    return run != null && run.agents() > 1 && isLive.test(run) ? work.reasonsOfOne() : refusals();
  }

  @Override
  public List<String> outstanding() {
    return work.facts();
  }

  /** Returns a description of the unread messages, or null for none. */
  public @Nullable String unread() {
    return work.unread();
  }

  /** Refuses a claimed completion with reasons. Does nothing without a claim. */
  public void refuseCompletion(List<String> reasons) {
    order("completion_refused", (steering, now) -> decider.refuseCompletion(steering, reasons));
  }

  private void order(String action, Ledger.Decider<ControlState, Boolean> decider) {
    ledger.decide("appending " + action + " to " + topic, decider);
  }
}
