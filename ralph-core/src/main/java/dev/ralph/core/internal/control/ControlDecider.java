package dev.ralph.core.internal.control;

import dev.ralph.Control;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rules for controlling the loop of a session. */
final class ControlDecider {

  private final Topic topic;

  ControlDecider(Topic topic) {
    this.topic = topic;
  }

  /**
   * Claims completion, unless a claim is pending. An earlier grant does not prevent a claim,
   * because more work may have been added and done since.
   *
   * @param outstanding the reasons against completion
   */
  Decision<ControlState, Boolean> claimCompletion(ControlState steering, List<String> outstanding) {
    if (!outstanding.isEmpty()) {
      throw RalphException.invalid(
          "the session is not complete: " + String.join("; ", outstanding));
    }
    return appendUnless(steering.claimed(), "session_complete");
  }

  /**
   * Claims completion if nothing is outstanding. Returns whether completion is claimed afterwards.
   */
  Decision<ControlState, Boolean> claimIfDone(ControlState steering, List<String> outstanding) {
    return steering.claimed() || !outstanding.isEmpty()
        ? Decision.nothing(steering.claimed())
        : append(Meta.of("action", "session_complete"));
  }

  /** Grants a claimed completion, unless new work is outstanding. */
  Decision<ControlState, Boolean> grantCompletion(ControlState steering, List<String> outstanding) {
    return appendUnless(!steering.claimed() || !outstanding.isEmpty(), "session_completed");
  }

  Decision<ControlState, Boolean> refuseCompletion(ControlState steering, List<String> reasons) {
    return steering.claimed()
        ? append(Meta.of("action", "completion_refused").with("reasons", reasons))
        : Decision.nothing(false);
  }

  Decision<ControlState, Boolean> pause(ControlState steering) {
    return appendUnless(steering.paused(), "pause");
  }

  Decision<ControlState, Boolean> resume(ControlState steering) {
    return appendUnless(!steering.paused(), "resume");
  }

  Decision<ControlState, Boolean> stop(ControlState steering, @Nullable String reason) {
    return steering.stop() == null
        ? append(Meta.of("action", "stop").with("reason", reason))
        : Decision.nothing(false);
  }

  Decision<ControlState, Boolean> raise(
      ControlState steering, Control.More more, Predicate<ControlState.Run> isLive) {
    ControlState.Run run = steering.run();
    if (run == null || !isLive.test(run)) {
      throw RalphException.invalid(
          "no loop runs on this session; set the limits when you start the next loop");
    }
    if (more.iterations() > 0 && run.limit() == 0) {
      throw RalphException.invalid("the loop has no iteration limit to raise");
    }
    return append(
        Meta.of("action", "raise")
            .with("iterations", more.iterations() == 0 ? null : more.iterations())
            .with("cost_usd", more.costUsd())
            .with("tokens", more.tokens() == 0 ? null : more.tokens()));
  }

  /**
   * Starts a run of a loop, unless another run is live.
   *
   * @param next the number of the loop's first iteration; a loop that replaces a killed loop
   *     continues its run and keeps the run's first number
   * @param limit the maximum number of iterations, 0 for no limit
   * @param agents the number of concurrent agents
   * @param lease the time until the session is free without a heartbeat; null if the session is
   *     free only after the end of the process
   */
  Decision<ControlState, Boolean> startLoop(
      ControlState steering,
      ProcessIdentity process,
      String token,
      int next,
      int limit,
      int agents,
      @Nullable Duration lease,
      Predicate<ControlState.Run> isLive) {
    ControlState.Run run = steering.run();
    if (run != null && token.equals(run.token())) {
      // A repeated call: the first append succeeded although its outcome was unknown.
      return Decision.nothing(false);
    }
    if (run != null && isLive.test(run)) {
      throw RalphException.contended(alreadyRuns(run));
    }
    int first = run == null || run.first() == 0 ? next : run.first();
    Meta meta =
        Meta.of("action", "loop_start").with("run", token).with("first", first).with("from", next);
    return append(
        process.in(
            meta.with("limit", limit == 0 ? null : limit)
                .with("agents", agents == 1 ? null : agents)
                .with("lease", lease == null ? null : lease.toMillis())));
  }

  private static String alreadyRuns(ControlState.Run run) {
    ProcessIdentity process = run.process();
    Instant until = run.until();
    return "a loop already runs on this session, in process "
        + process.pid()
        + " on "
        + process.host()
        + (process.isCurrent()
            ? " (this process); wait until the loop and all its agents have ended"
            : "; stop the loop or wait for its end")
        + (process.isHere()
            ? ""
            : (until == null
                    ? ". This host can't check if the process still runs"
                    : ". The lease of that loop ends at " + clock(until) + " if not renewed")
                + "; if the process is dead, run: ralph stop --gone");
  }

  /** Returns the local time of day, to the second. */
  private static String clock(Instant time) {
    int offset = ZoneId.systemDefault().getRules().getOffset(time).getTotalSeconds();
    return Timestamp.withMillis(time.plusSeconds(offset)).substring(11, 19);
  }

  /**
   * Appends a heartbeat of a loop. The result is false if the session belongs to another loop or to
   * none.
   */
  Decision<ControlState, Boolean> alive(ControlState steering, String token) {
    ControlState.Run run = steering.run();
    return run != null && token.equals(run.token())
        ? append(Meta.of("action", "loop_alive").with("run", token))
        : Decision.nothing(false);
  }

  Decision<ControlState, Boolean> endLoop(
      ControlState steering, String token, String reason, @Nullable String detail) {
    ControlState.Run run = steering.run();
    return run != null && token.equals(run.token()) ? end(reason, detail) : Decision.nothing(false);
  }

  Decision<ControlState, Boolean> loopIsGone(
      ControlState steering, Predicate<ControlState.Run> isLive) {
    ControlState.Run run = steering.run();
    if (run == null) {
      return Decision.nothing(false);
    }
    if (run.process().isHere() && isLive.test(run)) {
      throw RalphException.invalid(
          "the loop is not gone: it runs in process "
              + run.process().pid()
              + " on this machine; stop the loop or end the process");
    }
    return end("gone", null);
  }

  private Decision<ControlState, Boolean> end(String reason, @Nullable String detail) {
    return append(Meta.of("action", "loop_end").with("reason", reason).with("detail", detail));
  }

  private Decision<ControlState, Boolean> appendUnless(boolean done, String action) {
    return done ? Decision.nothing(false) : append(Meta.of("action", action));
  }

  private Decision<ControlState, Boolean> append(Meta meta) {
    return Decision.append(Draft.of(topic, meta), after -> true);
  }
}
