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
 * Looks about every second at what an opencode server tells of a session, and its attached client
 * does not: a model that fails and is asked again, what the agents use that the session's agent has
 * started. Hands over the operator's messages at the same time. It has a thread of its own, because
 * a busy server takes its time to answer and nothing can interrupt a request.
 */
final class OpencodeWatch implements ClientRun.Watch {

  private static final System.Logger LOG = System.getLogger(OpencodeWatch.class.getPackageName());
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final OpencodeServer server;
  private final Path directory;
  private final String session;
  private final RunRecord record;
  private final OpencodeEvents events;
  private final OpencodeSteering steering;
  private final Thread thread = new Thread(this::lookOn, "ralph-opencode-watch");
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

  /** Begins to look, until {@link #end}. */
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
                AgentResult.failure("the opencode server ended in mid-iteration, " + ending)
                    .cause(Cause.KILLED));
  }

  /**
   * Ends looking; waits for the last look to end, for so long at most. Being interrupted before or
   * meanwhile shortens nothing but that, because the session has to be ended all the same.
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

  private void lookOn() {
    while (!ended) {
      try {
        Thread.sleep(LOOK_EVERY.toMillis());
        look(server.api());
      } catch (InterruptedException end) {
        // The flag says whether to go on.
      } catch (IOException busyElsewhere) {
        // Asked again soon; a server that never answers again is a matter for the time limit.
        LOG.log(Level.DEBUG, "the opencode server did not answer", busyElsewhere);
      }
    }
    steering.end(LIMIT);
  }

  private void look(OpencodeApi api) throws IOException {
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
    // A session that has come to rest would begin again.
    if (!ended && api.isBusy(directory, session, LIMIT)) {
      steering.look(LIMIT);
    }
    events.acceptChildren(api.children(directory, session, LIMIT));
  }
}
