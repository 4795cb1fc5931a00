package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of a client's program for one turn. The run is stopped with all its processes when the
 * turn's time is up or the client hangs.
 *
 * <p>Not thread-safe.
 */
final class ClientRun implements AutoCloseable {

  /** The reasons why waiting for a client ended. */
  enum EndKind {
    /** The client exited. */
    EXITED,
    /** Time is up, or the loop was cancelled. */
    CUT_SHORT,
    /** The client runs, but its turn has failed. */
    GIVEN_UP,
    /** The client has sent its final event and does not exit. */
    FINISHED
  }

  /** The end of waiting for a client. */
  record End(EndKind kind, @Nullable ProcessExit exit, @Nullable AgentResult reasonGivenUp) {

    static End cutShort() {
      return new End(EndKind.CUT_SHORT, null, null);
    }

    /** Returns the exit of the client. Only for an exited client. */
    ProcessExit exited() {
      return Objects.requireNonNull(exit, "the client has not ended");
    }
  }

  /** Detects failures that the client does not report. Called several times per second. */
  interface Watch {
    Optional<AgentResult> reasonToGiveUp() throws InterruptedException;
  }

  /** Thrown if the client's program cannot be started. */
  static final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(ClientName client, RalphException cause) {
      super(cause.getMessage() + " (to install " + client.name() + ": " + client.install() + ")");
    }

    AgentResult result() {
      return AgentResult.fatal(String.valueOf(getMessage())).cause(Cause.NOT_INSTALLED);
    }
  }

  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  /** The length of the silence after the final event until a client without work is stopped. */
  private static final Duration FINISHED_LIMIT = Duration.ofSeconds(30);

  private final ClientName client;
  private final Turn turn;
  private final RunRecord record;
  private final EventLines lines;
  private final OutputTail stderr = new OutputTail();
  private final ManagedProcess process;
  private volatile Usage reported = Usage.NONE;
  private boolean reportedUnpriced;

  /** Descendants started before the first answer of the model. These are tool servers, not work. */
  private Set<ProcessHandle> servers = Set.of();

  /** The last time a working descendant was seen, in the unit of {@link System#nanoTime}. */
  private long lastWork = System.nanoTime();

  private ClientRun(
      ClientName client, ProcessSpec.Builder spec, Turn turn, RunRecord record, EventLines lines) {
    this.client = client;
    this.turn = turn;
    this.record = record;
    this.lines = lines;
    record.recordActivity();
    process =
        ManagedProcess.start(
            spec.mark(ProcessMark.of(turn.processMark()))
                .onStdout(recordingActivity(lines))
                .onStderr(recordingActivity(stderr::accept))
                .build());
  }

  /**
   * Starts the client.
   *
   * @param spec the command with its folder, environment and input
   * @throws StartException if the program cannot be started
   */
  static ClientRun start(
      ClientName client, ProcessSpec.Builder spec, Turn turn, RunRecord record, EventLines lines)
      throws StartException {
    try {
      return new ClientRun(client, spec, turn, record, lines);
    } catch (RalphException e) {
      throw new StartException(client, e);
    }
  }

  /**
   * Runs a client to the end. The client reads the prompt from its standard input and reports its
   * own end.
   *
   * @param watch is polled while the client runs
   * @param exited interprets the exit of the client
   * @return the result of the turn
   */
  static AgentResult toTheEnd(
      ClientName client,
      ClientSettings settings,
      ProcessSpec.Builder spec,
      Turn turn,
      RunRecord record,
      Consumer<JsonNode> events,
      Watch watch,
      Exited exited) {
    EventLines lines = new EventLines(events, record::show);
    try (ClientRun run = start(client, spec.stdin(turn.prompt()), turn, record, lines)) {
      End end = run.await(settings.longestSilence(), watch);
      return run.result(
          end, (code, stderr) -> exited.result(code, stderr).or(() -> run.unfinished(code)));
    } catch (StartException e) {
      return e.result();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return cutShort(client, turn, record);
    }
  }

  /**
   * Returns whether a client rejected the arguments because of an old version.
   *
   * @param words the client's error text for the argument
   */
  static boolean isRefused(AgentResult result, String words) {
    return result.outcome() == AgentResult.Outcome.FAILURE
        && result.usage().equals(Usage.NONE)
        && String.valueOf(result.summary()).contains(words);
  }

  private Consumer<String> recordingActivity(Consumer<String> consumer) {
    return piece -> {
      record.recordActivity();
      consumer.accept(piece);
      reportUsage(); // at once: the client may exceed its budget until the loop knows the usage
    };
  }

  private void reportUsage() {
    Usage used = record.usage();
    if (!used.equals(reported)) {
      reported = used;
      turn.usage(used);
    }
  }

  /**
   * Waits until the client exits or its turn must end. The caller stops the client in the second
   * case.
   *
   * @param longestSilence the time after which a silent client counts as hung; zero for no limit
   */
  End await(Duration longestSilence, Watch watch) throws InterruptedException {
    while (true) {
      if (turn.cancelled() || deadlinePassed(turn)) {
        return End.cutShort();
      }
      Optional<ProcessExit> exit = process.await(pollInterval());
      reportUsage();
      record.unpriced().ifPresent(this::reportUnpriced);
      record.retries().news().ifPresent(this::reportRetry);
      if (exit.isPresent()) {
        lines.end();
        return new End(EndKind.EXITED, exit.get(), null);
      }
      if (hasFinished(longestSilence)) {
        return new End(EndKind.FINISHED, null, null);
      }
      AgentResult reason = reasonToGiveUp(longestSilence);
      if (reason == null) {
        reason = watch.reasonToGiveUp().orElse(null);
      }
      if (reason != null) {
        return new End(EndKind.GIVEN_UP, null, reason);
      }
    }
  }

  /**
   * Returns whether the client has sent its final event and has been silent and without work since.
   */
  private boolean hasFinished(Duration longestSilence) {
    if (!record.isIdle()) {
      if (!record.answered()) {
        Set<ProcessHandle> before = process.descendants();
        if (!record.answered()) {
          servers = before;
        }
      }
      return false;
    }
    if (!servers.containsAll(process.descendants())) {
      lastWork = System.nanoTime();
    }
    return isOver(
        Duration.ofNanos(System.nanoTime() - record.lastWord()),
        Duration.ofNanos(System.nanoTime() - lastWork),
        longestSilence);
  }

  /**
   * Returns whether to stop a client after the final event.
   *
   * @param silent the time since the client's last event
   * @param workless the time since a working process was last seen
   * @param longestSilence zero for no limit
   */
  static boolean isOver(Duration silent, Duration workless, Duration longestSilence) {
    boolean isWorkless =
        silent.compareTo(FINISHED_LIMIT) > 0 && workless.compareTo(FINISHED_LIMIT) > 0;
    return isWorkless || (!longestSilence.isZero() && silent.compareTo(longestSilence) > 0);
  }

  private void reportRetry(Retries.Retry retry) {
    turn.notice(retry.describe(client));
    record.put(RecordEntry.retry(retry.error().text(), retry.attempt(), retry.pause()));
  }

  private void reportUnpriced(String model) {
    if (!reportedUnpriced && turn.maxCost() != null) {
      reportedUnpriced = true;
      turn.notice(
          "the price of the model "
              + RalphException.quote(model)
              + " is not known; add the model to a price table (ralph build --prices FILE)");
    }
  }

  private @Nullable AgentResult reasonToGiveUp(Duration longestSilence) {
    AgentResult reported = record.givenUp();
    if (reported != null) {
      return reported;
    }
    Optional<ModelError> hopeless = record.retries().hopeless(turn.deadline() != null);
    if (hopeless.isPresent()) {
      return hopeless.get().result(client, record.answered());
    }
    boolean silent = System.nanoTime() - record.lastWord() > longestSilence.toNanos();
    if (longestSilence.isZero() || !silent) {
      return null;
    }
    record.cutOff();
    return AgentResult.failure(
            client.name()
                + " was stopped: no output for "
                + longestSilence.toSeconds()
                + " s"
                + waitedFor(record))
        .cause(Cause.HUNG);
  }

  /**
   * Returns the result of the turn.
   *
   * @param exited interprets the exit of a client that was not killed by a signal
   */
  AgentResult result(End end, Exited exited) {
    switch (end.kind()) {
      case GIVEN_UP:
        return Objects.requireNonNull(end.reasonGivenUp());
      case CUT_SHORT:
        return cutShort(client, turn, record);
      default:
        break;
    }
    AgentResult reported = record.givenUp();
    if (reported != null) {
      return reported;
    }
    int code = 0;
    if (end.kind() == EndKind.FINISHED) {
      turn.notice(client.name() + " did not exit after its final event and was stopped");
    } else {
      code = end.exited().code();
    }
    if (code > 128) {
      record.cutOff();
      return AgentResult.failure(
              client.name() + " was killed by signal " + (code - 128) + stderr.afterColon())
          .cause(Cause.KILLED);
    }
    Optional<AgentResult> known = exited.result(code, stderr);
    if (known.isPresent()) {
      return known.get();
    }
    ModelError error = record.error();
    if (error != null) {
      return error.result(client, record.answered());
    }
    if (code != 0) {
      return AgentResult.failure(
          client.name() + " ended with " + ProcessExit.words(code) + stderr.afterColon());
    }
    if (!record.answered()) {
      return AgentResult.failure(
          client.name() + " ended without an answer from its model" + stderr.afterColon());
    }
    String text = record.finalText();
    return AgentResult.success().summary(text.isEmpty() ? null : text);
  }

  /** Returns the standard input of a client, for messages during the run. */
  OutputStream stdin() {
    return process.stdin();
  }

  /** Returns the end of the client's standard error. */
  OutputTail stderr() {
    return stderr;
  }

  /** Interprets the exit code and the last output of a particular client. */
  interface Exited {
    Optional<AgentResult> result(int code, OutputTail stderr);
  }

  /** Returns a failure if the client exited with code 0 before its final event. */
  private Optional<AgentResult> unfinished(int code) {
    return code == 0 && record.answered() && !record.finished() && record.error() == null
        ? Optional.of(
            AgentResult.failure(
                client.name() + " ended before its work was complete" + stderr.afterColon()))
        : Optional.empty();
  }

  /** Returns the result of a turn that timed out or was cancelled. */
  static AgentResult cutShort(ClientName client, Turn turn, RunRecord record) {
    record.cutOff();
    boolean late = deadlinePassed(turn);
    return AgentResult.failure(
            client.name()
                + (late
                    ? " was stopped: the iteration timed out"
                    : " was stopped: the iteration was cancelled")
                + waitedFor(record))
        .cause(late ? Cause.TIMED_OUT : Cause.CANCELLED);
  }

  /**
   * Returns the tool call or model failure that a client waited for, after a semicolon, or an empty
   * string.
   */
  private static String waitedFor(RunRecord record) {
    ModelError last = record.retries().last();
    return last == null
        ? record.underWay().map(call -> "; " + call).orElse("")
        : "; last model error: " + last.text();
  }

  /** Stops the client if it runs, and all processes started by the client. */
  @Override
  public void close() {
    process.close();
  }

  static boolean deadlinePassed(Turn turn) {
    Instant deadline = turn.deadline();
    return deadline != null && !Instant.now().isBefore(deadline);
  }

  private Duration pollInterval() {
    Instant deadline = turn.deadline();
    if (deadline == null) {
      return POLL_INTERVAL;
    }
    Duration left = Duration.between(Instant.now(), deadline);
    return left.compareTo(POLL_INTERVAL) < 0 ? left : POLL_INTERVAL;
  }
}
