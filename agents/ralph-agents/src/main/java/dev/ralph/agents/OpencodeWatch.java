package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Polls an opencode server about every second for facts that its attached client does not report:
 * retries of a failed model, and the usage of agents that the session's agent started. Also sends
 * the operator's messages. Uses a separate thread, because a busy server responds slowly and
 * requests are not interruptible.
 */
final class OpencodeWatch implements ClientRun.Watch {

  private static final System.Logger LOG = System.getLogger(OpencodeWatch.class.getPackageName());
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final OpencodeServer server;
  private final Path directory;
  private final String session;
  private final RunRecord record;
  private final OpencodeEvents events;
  private final OpencodeSteering steering;
  private final Thread thread = new Thread(this::pollUntilEnd, "ralph-opencode-watch");
  private volatile boolean ended;

  private OpencodeWatch(
      OpencodeServer server,
      Path directory,
      String session,
      RunRecord record,
      OpencodeEvents events,
      OpencodeSteering steering) {
    this.server = server;
    this.directory = directory;
    this.session = session;
    this.record = record;
    this.events = events;
    this.steering = steering;
  }

  /** Starts to poll, until {@link #end}. */
  static OpencodeWatch start(
      Turn turn,
      OpencodeServer server,
      Path directory,
      String session,
      RunRecord record,
      OpencodeEvents events) {
    OpencodeSteering steering = new OpencodeSteering(turn, server.api(), directory, session);
    OpencodeWatch watch = new OpencodeWatch(server, directory, session, record, events, steering);
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  @Override
  public Optional<AgentResult> reasonToGiveUp() throws InterruptedException {
    return server
        .ending(Duration.ZERO)
        .map(
            ending ->
                AgentResult.failure("the opencode server ended during the iteration, " + ending)
                    .cause(Cause.KILLED));
  }

  /**
   * Stops polling and waits for the last poll. An interrupt shortens only this wait, because the
   * session must be ended in any case.
   *
   * @param patience the longest wait
   */
  void end(Duration patience) {
    ended = true;
    thread.interrupt();
    boolean interrupted = Thread.interrupted();
    try {
      thread.join(patience.toMillis());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void pollUntilEnd() {
    while (!ended) {
      try {
        Thread.sleep(POLL_INTERVAL.toMillis());
        poll(server.api());
      } catch (InterruptedException end) {
        // The loop condition decides whether to continue.
      } catch (IOException busyElsewhere) {
        // Polled again soon. The time limits of the run handle a server that never responds.
        LOG.log(Level.DEBUG, "the opencode server did not answer", busyElsewhere);
      }
    }
    steering.end(LIMIT);
  }

  private void poll(OpencodeApi api) throws IOException {
    Optional<OpencodeApi.Retry> retry = api.retry(directory, session, LIMIT);
    if (retry.isPresent()) {
      record
          .retries()
          .failed(
              ModelError.of(0, retry.get().message(), null),
              RetryAfter.until(retry.get().next(), Instant.now()),
              retry.get().attempt(),
              0);
    }
    // A message would restart a session that has become idle.
    if (!ended && api.isBusy(directory, session, LIMIT)) {
      steering.sendNewMessages(LIMIT);
    }
    events.acceptChildren(api.children(directory, session, LIMIT));
  }
}
