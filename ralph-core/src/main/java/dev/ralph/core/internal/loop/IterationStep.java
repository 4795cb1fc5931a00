package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.git.RepositoryWatch;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An iteration of a run, from the start to the end and the consequences. */
final class IterationStep {

  private final Parts parts;
  private final LoopSettings settings;
  private boolean isWatching;

  /** Null if the folder is not in a work tree of Ralph. */
  private @Nullable RepositoryWatch watch;

  IterationStep(Parts parts) {
    this.parts = parts;
    this.settings = parts.settings;
  }

  /** Runs the next iteration. */
  void run() {
    parts.claim.renewIfDue();
    parts.progress.begin();
    LoopRole role = parts.roles.next(parts.seen);
    int number = parts.recorder.begin(parts.roles.word(role), 0, null);
    Budget.Share share = parts.limits.begin(number, role.limits());
    long began = parts.time.nanos();
    AgentOutcome outcome;
    watch();
    try {
      AgentPlace place = new AgentPlace(0, settings.directory(), parts.mark, Map.of());
      outcome =
          ReadyTurn.prepare(parts, role, share, number, place, null, parts.events)
              .take(parts.agents, parts::glance);
    } catch (RuntimeException | Error e) {
      parts.recorder.ended(number, AgentOutcome.broken(e), took(began));
      if (parts.agents.hasLeftBehind()) {
        parts.endings.besideAgent(number);
      }
      throw e;
    }
    compare(number);
    parts.recorder.ended(number, outcome, took(began));
    parts.spend(share, outcome, parts.events);
    parts.progress.ended(role.role(), outcome.status());
    // Before anything can fail, because a second agent must never run beside an abandoned one.
    follow(role, outcome);
    parts.talk.tell();
    parts.writeEnd();
  }

  /** Starts to watch the repository if the loop works in a work tree of Ralph. */
  private void watch() {
    if (!isWatching) {
      isWatching = true;
      try {
        watch = RepositoryWatch.ofTree(settings.directory());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RalphException e) {
        notice(0, e);
      }
    }
  }

  private void compare(int number) {
    try {
      if (watch != null) {
        watch.compare().forEach(text -> parts.events.emit(LoopEvent.Type.NOTICE, number, text));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RalphException e) {
      notice(number, e);
    }
  }

  private void notice(int number, RalphException failure) {
    parts.events.emit(
        LoopEvent.Type.NOTICE,
        number,
        "can't check the repository for changes: " + failure.getMessage());
  }

  /** Ends the watch of the repository. */
  void close() {
    RepositoryWatch open = watch;
    watch = null;
    if (open != null) {
      open.close();
    }
  }

  private Duration took(long began) {
    return parts.time.since(began);
  }

  /** Updates the backoff and the ending after the agent's outcome. */
  private void follow(LoopRole role, AgentOutcome outcome) {
    int failuresBefore = parts.backoff.failures();
    parts.backoff.note(outcome, parts.progress.isStuck());
    // Only a building agent can repair the reasons of a rejected completion.
    if (outcome.status() == Iteration.Status.SUCCESS && role.role() == Iteration.Role.BUILD) {
      parts.completion.forgetRefusal();
    }
    boolean failed = parts.backoff.failures() > failuresBefore;
    parts.endings.afterAgent(outcome, failed ? parts.backoff.failures() : 0);
  }
}
