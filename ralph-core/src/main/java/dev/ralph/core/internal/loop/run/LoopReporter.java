package dev.ralph.core.internal.loop.run;

import dev.ralph.domain.ProcessIdentity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reports a run, or one of its agents: events for the listeners, and records for the log. */
public final class LoopReporter {

  private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(10);

  private final LoopSession session;
  private final int agent;
  private final Listeners listeners;
  private final LoopEvents events;
  private final ActivityReporter activity;
  private final IterationRecorder recorder;
  private final ConversationEvents conversation;

  public LoopReporter(LoopSession session, LoopSettings settings) {
    this.session = session;
    this.agent = 0;
    this.listeners =
        new Listeners(
            settings.listeners(),
            session.present().log().clock(),
            LISTENER_PATIENCE,
            session.cancellation());
    this.events = new LoopEvents(session.present().name(), agent, listeners);
    this.activity = new ActivityReporter(session.present(), session.claim(), agent);
    this.recorder =
        new IterationRecorder(
            session.seen(), ProcessIdentity.current(), events, settings.beforeEnd());
    this.conversation = new ConversationEvents(session, events);
  }

  private LoopReporter(LoopReporter run, int agent) {
    this.session = run.session;
    this.agent = agent;
    this.listeners = run.listeners;
    this.events = run.events.of(agent);
    this.activity = new ActivityReporter(session.present(), session.claim(), agent);
    this.recorder = run.recorder.of(events);
    this.conversation = run.conversation;
  }

  /** Returns the reporter of one of several agents. */
  public LoopReporter ofAgent(int number) {
    return new LoopReporter(this, number);
  }

  /** Returns the number of the agent among several, from 1; 0 for the whole run. */
  public int agent() {
    return agent;
  }

  public Listeners listeners() {
    return listeners;
  }

  public LoopEvents events() {
    return events;
  }

  public ActivityReporter activity() {
    return activity;
  }

  public IterationRecorder recorder() {
    return recorder;
  }

  public ConversationEvents conversation() {
    return conversation;
  }

  /** Emits a notice, unless the text is null. */
  public void notice(int iteration, @Nullable String text) {
    if (text != null) {
      events.notice(iteration, text);
    }
  }

  /** Records the end of the last iteration, unless it is recorded. */
  public void writeEnd() {
    if (recorder.write()) {
      session.limits().accepted();
    }
  }
}
