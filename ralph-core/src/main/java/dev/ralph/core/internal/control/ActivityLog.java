package dev.ralph.core.internal.control;

import dev.ralph.Control.Activity;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The activities of a session's loops. No decision depends on them. */
public final class ActivityLog {

  private final Ledger<Activities> ledger;
  private final Topic topic;
  private final Clock clock;

  /** Creates a log of present or past activities. */
  public ActivityLog(Ledger<Activities> ledger, Topic topic, Clock clock) {
    this.ledger = ledger;
    this.topic = topic;
    this.clock = clock;
  }

  /** Returns the activities of a run. */
  List<Activity> of(@Nullable String token) {
    return ledger.state().of(token);
  }

  /** Returns the frame for the beginning of a run's activity. */
  Draft begin(RunToken run, Activity activity) {
    return ActivityFold.begin(topic, run.text(), activity, clock.instant());
  }

  /** Returns the frame for the end of an agent's activity. */
  Draft end(RunToken run, int agent) {
    return ActivityFold.end(topic, run.text(), agent);
  }
}
