package dev.ralph.core.internal.control;

import dev.ralph.Control;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What steers the loop of a session, as a state that is decided on; with what the loop itself
 * needs.
 */
public final class LedgerControl implements Control {

  private final Ledger<Steering> ledger;
  private final Ledger<Tasks> tasks;
  private final Ledger<Messages> messages;

  /** The frames that completion depends on, besides those of the control. */
  private final TopicFilter work;

  private final Ledger<Activities> activities;
  private final ControlDecider decider;
  private final Topic topic;
  private final Topic activityTopic;
  private final Clock clock;
  private final boolean isPast;

  /**
   * Makes the control of a session, present or past.
   *
   * @param isPast whether this is a past one, in which a loop that had not said that it ended ran
   * @param tasks the session's tasks, which completion depends on
   * @param messages the session's messages, which completion depends on too
   * @param activities what loops say of what they do, which nothing depends on
   */
  public LedgerControl(
      Ledger<Steering> ledger,
      Topic topic,
      Ledger<Tasks> tasks,
      Topic taskTopic,
      Ledger<Messages> messages,
      Topic inboxTopic,
      Ledger<Activities> activities,
      Topic activityTopic,
      Clock clock,
      boolean isPast) {
    this.ledger = ledger;
    this.activities = activities;
    this.activityTopic = activityTopic;
    this.tasks = tasks;
    this.messages = messages;
    this.work = TopicFilter.of(taskTopic).or(TopicFilter.of(inboxTopic));
    this.decider = new ControlDecider(topic);
    this.topic = topic;
    this.clock = clock;
    this.isPast = isPast;
  }

  @Override
  public void complete() {
    ledger.decide(
        "claiming completion on " + topic,
        work,
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
    order("raise", (steering, now) -> decider.raise(steering, more, run -> isLive(run, now)));
  }

  @Override
  public void loopIsGone() {
    order("loop_end", (steering, now) -> decider.loopIsGone(steering, run -> isLive(run, now)));
  }

  @Override
  public boolean isPaused() {
    return ledger.state().paused();
  }

  @Override
  public boolean isStopping() {
    Steering now = ledger.state();
    Steering.Run run = now.run();
    return now.stop() != null && run != null && isLive(run, clock.instant());
  }

  private boolean isLive(Steering.Run run, Instant now) {
    return isPast || run.isLive(now);
  }

  @Override
  public boolean isCompleted() {
    return ledger.state().completed() && tasks.state().areSettled();
  }

  @Override
  public Optional<RunningLoop> running() {
    Steering.Run run = ledger.state().run();
    if (run == null) {
      return Optional.empty();
    }
    ProcessIdentity process = run.process();
    return Optional.of(
        new RunningLoop(
            process.host(),
            process.pid(),
            isLive(run, clock.instant()),
            run.from(),
            run.limit(),
            run.agents(),
            run.until()));
  }

  @Override
  public List<Activity> activities() {
    Steering.Run run = ledger.state().run();
    return run != null && isLive(run, clock.instant())
        ? activities.state().of(run.token())
        : List.of();
  }

  // ---- for a loop

  /** Returns the frame that says what a run does now. */
  public Draft begins(RunToken run, Activity activity) {
    return ActivityFold.begin(activityTopic, run.text(), activity, clock.instant());
  }

  /** Returns the frame that says that a run, or an agent of it, has ended what it did. */
  public Draft ends(RunToken run, int agent) {
    return ActivityFold.end(activityTopic, run.text(), agent);
  }

  /**
   * Says that a loop begins; nothing happens if it has said so before.
   *
   * @param token held for as long as the loop runs
   * @param next the number of the loop's first iteration
   * @param limit how many iterations it has at most, 0 if endless
   * @param agents how many work at once, 1 or more
   * @param lease how long it keeps the session without a sign of life; null where only its process
   *     tells
   * @throws dev.ralph.log.RalphException CONTENDED if another one runs that is not known to be dead
   */
  public void startLoop(
      ProcessIdentity process,
      RunToken token,
      int next,
      int limit,
      int agents,
      @Nullable Duration lease) {
    ledger.decide(
        "beginning a loop on " + topic,
        (steering, now) ->
            decider.startLoop(
                steering,
                process,
                token.text(),
                next,
                limit,
                agents,
                lease,
                run -> isLive(run, now)));
  }

  /** Says that a loop lives; answers false, and does nothing, if the session is not its own. */
  public boolean alive(RunToken token) {
    return ledger.decide(
        "appending loop_alive to " + topic,
        (steering, now) -> decider.alive(steering, token.text()));
  }

  /** Returns whose the session is instead of a loop's, in words; null if it is that loop's. */
  public @Nullable String lostBy(RunToken token) {
    Steering.Run run = ledger.state().run();
    if (run == null) {
      return "somebody said that this loop is gone";
    }
    return run.isOf(token)
        ? null
        : "another loop has the session now, in process "
            + run.process().pid()
            + " on "
            + run.process().host();
  }

  /**
   * Returns the number of the first iteration of the run that is under way, which a killed loop may
   * have begun; 0 if none is.
   */
  public int firstOfRun() {
    Steering.Run run = ledger.state().run();
    return run == null ? 0 : run.first();
  }

  /** Says that a loop has ended; nothing happens if it is not the one that runs. */
  public void endLoop(RunToken token, String reason) {
    order("loop_end", (steering, now) -> decider.endLoop(steering, token.text(), reason));
  }

  /** Returns all that steers the loop, as of one moment. */
  public Steering steering() {
    return ledger.state();
  }

  /**
   * Claims completion on the host's word, unless something is outstanding, which the agent is to do
   * first.
   *
   * @return whether completion is claimed
   */
  public boolean claimIfDone() {
    return ledger.decide(
        "claiming completion on " + topic,
        work,
        (steering, now) -> decider.claimIfDone(steering, refusals()));
  }

  /**
   * Grants the completion that is claimed.
   *
   * @return false if none is claimed or something is outstanding, and nothing was done
   */
  public boolean grantCompletion() {
    return ledger.decide(
        "granting completion on " + topic,
        work,
        (steering, now) -> decider.grantCompletion(steering, refusals()));
  }

  /** Returns what keeps the session from being complete, each with what an agent can do. */
  public List<String> refusals() {
    return Outstanding.reasons(tasks.state(), messages.state(), clock.instant());
  }

  /**
   * Returns what one of the agents at work has to do before it may claim completion. Of several it
   * is a request: what others have in hand, or is to land, is judged when none of them works.
   */
  private List<String> refusals(Steering steering) {
    Steering.Run run = steering.run();
    Instant now = clock.instant();
    return run != null && run.agents() > 1 && isLive(run, now)
        ? Outstanding.ofOne(tasks.state(), messages.state(), now)
        : refusals();
  }

  @Override
  public List<String> outstanding() {
    return Outstanding.facts(tasks.state(), messages.state(), clock.instant());
  }

  /** Returns which messages are unread, in words, or null if none is. */
  public @Nullable String unread() {
    return Outstanding.unread(messages.state(), clock.instant());
  }

  /** Refuses the completion that is claimed, if one is, saying why. */
  public void refuseCompletion(List<String> reasons) {
    order("completion_refused", (steering, now) -> decider.refuseCompletion(steering, reasons));
  }

  private void order(String action, Ledger.Decider<Steering, Boolean> decider) {
    ledger.decide("appending " + action + " to " + topic, decider);
  }
}
