package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
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
 * One run of a client's program for one turn: watched by the clocks of the turn and of its own
 * silence, and ended with all it started.
 *
 * <p>For one thread.
 */
final class ClientRun implements AutoCloseable {

  /** How a run ended that ended at all. */
  enum EndKind {
    /** The client ended by itself. */
    EXITED,
    /** Time is up, or the loop was cancelled. */
    CUT_SHORT,
    /** It goes on, and there is no use in it. */
    GIVEN_UP,
    /** The client has sent its final event and does not exit. */
    FINISHED
  }

  /** How waiting for a client ended. */
  record End(EndKind kind, @Nullable ProcessExit exit, @Nullable AgentResult reasonGivenUp) {

    static End cutShort() {
      return new End(EndKind.CUT_SHORT, null, null);
    }

    /** Returns how the client ended; only if it ended by itself. */
    ProcessExit exited() {
      return Objects.requireNonNull(exit, "the client has not ended");
    }
  }

  /** Looks a few times a second for a reason to give up that the client does not tell itself. */
  interface Watch {
    Optional<AgentResult> reasonToGiveUp() throws InterruptedException;
  }

  /** The client's program can't be started. */
  static final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(ClientName client, RalphException cause) {
      super(cause.getMessage() + " (to install " + client.name() + ": " + client.install() + ")");
    }

    AgentResult result() {
      return AgentResult.fatal(String.valueOf(getMessage())).cause(Cause.NOT_INSTALLED);
    }
  }

  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  /** Silence after the final event until a client without work is ended. */
  private static final Duration FINISHED_LIMIT = Duration.ofSeconds(30);

  private final ClientName client;
  private final Turn turn;
  private final RunRecord record;
  private final EventLines lines;
  private final OutputTail stderr = new OutputTail();
  private final ManagedProcess process;
  private volatile Usage told = Usage.NONE;
  private boolean saidUnpriced;

  /** Descendants that run since before the model's first answer: servers of tools, no work. */
  private Set<ProcessHandle> servers = Set.of();

  /** When a descendant that works was last seen, on the clock of {@link System#nanoTime}. */
  private long lastWork = System.nanoTime();

  private ClientRun(
      ClientName client, ProcessSpec.Builder spec, Turn turn, RunRecord record, EventLines lines) {
    this.client = client;
    this.turn = turn;
    this.record = record;
    this.lines = lines;
    record.heard();
    process =
        ManagedProcess.start(
            spec.mark(ProcessMark.of(turn.processMark()))
                .onStdout(heard(lines))
                .onStderr(heard(stderr::accept))
                .build());
  }

  /**
   * Starts the client.
   *
   * @param spec the command with its folder, environment and input
   * @throws StartException if it can't be started
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
   * Runs a client that takes the prompt from its standard input, and says when it is done, from
   * start to end.
   *
   * @param watch is asked as long as the client runs
   * @param exited says what else the client means that ended by itself
   * @return what the turn comes to
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
   * Returns whether a client did not even begin, because it is too old for an argument.
   *
   * @param words what it says of that
   */
  static boolean isRefused(AgentResult result, String words) {
    return result.outcome() == AgentResult.Outcome.FAILURE
        && result.usage().equals(Usage.NONE)
        && String.valueOf(result.summary()).contains(words);
  }

  private Consumer<String> heard(Consumer<String> consumer) {
    return piece -> {
      record.heard();
      consumer.accept(piece);
      tellUsage(); // at once: until the loop knows of it, the client goes on
    };
  }

  private void tellUsage() {
    Usage used = record.usage();
    if (!used.equals(told)) {
      told = used;
      turn.usage(used);
    }
  }

  /**
   * Waits until the client has ended, or there is a reason not to wait any longer; that end is for
   * the caller to bring about.
   *
   * @param longestSilence after which the client counts as hung; zero for no limit
   */
  End await(Duration longestSilence, Watch watch) throws InterruptedException {
    while (true) {
      if (turn.cancelled() || deadlinePassed(turn)) {
        return End.cutShort();
      }
      Optional<ProcessExit> exit = process.await(lookAfter());
      tellUsage();
      record.unpriced().ifPresent(this::sayUnpriced);
      record.retries().news().ifPresent(this::tell);
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
   * Returns whether the client has sent its final event and since then neither spoken nor worked.
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
   * Returns whether a client that has sent its final event is ended.
   *
   * @param silent time since its last event
   * @param workless time since a process of its work was last seen
   * @param longestSilence zero for no limit
   */
  static boolean isOver(Duration silent, Duration workless, Duration longestSilence) {
    boolean isWorkless =
        silent.compareTo(FINISHED_LIMIT) > 0 && workless.compareTo(FINISHED_LIMIT) > 0;
    return isWorkless || (!longestSilence.isZero() && silent.compareTo(longestSilence) > 0);
  }

  private void tell(Retries.Retry retry) {
    turn.notice(retry.said(client));
    record.put(RecordEntry.retry(retry.error().said(), retry.attempt(), retry.pause()));
  }

  private void sayUnpriced(String model) {
    if (!saidUnpriced && turn.maxCost() != null) {
      saidUnpriced = true;
      turn.notice(
          "the price of the model "
              + RalphException.quote(model)
              + " is not known; name it in a table of prices (ralph build --prices FILE)");
    }
  }

  private @Nullable AgentResult reasonToGiveUp(Duration longestSilence) {
    AgentResult told = record.givenUp();
    if (told != null) {
      return told;
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
                + " was ended: it had said nothing for "
                + longestSilence.toSeconds()
                + " s"
                + waitedFor(record))
        .cause(Cause.HUNG);
  }

  /**
   * Returns what the turn comes to, by how waiting ended and what was told.
   *
   * @param exited says what a client means that ended by itself, but not by a signal
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
    AgentResult told = record.givenUp();
    if (told != null) {
      return told;
    }
    int code = 0;
    if (end.kind() == EndKind.FINISHED) {
      turn.notice(client.name() + " did not exit after its final event and was ended");
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
          client.name() + " ended without an answer of its model" + stderr.afterColon());
    }
    String text = record.finalText();
    return AgentResult.success().summary(text.isEmpty() ? null : text);
  }

  /** The standard input of a client that is talked to while it runs. */
  OutputStream stdin() {
    return process.stdin();
  }

  /** What the client wrote last to its standard error. */
  OutputTail stderr() {
    return stderr;
  }

  /** What only one client says by its exit code and its last words. */
  interface Exited {
    Optional<AgentResult> result(int code, OutputTail stderr);
  }

  /** Returns a failure if the client ended as if it were done and never said so. */
  private Optional<AgentResult> unfinished(int code) {
    return code == 0 && record.answered() && !record.finished() && record.error() == null
        ? Optional.of(
            AgentResult.failure(client.name() + " ended before it was done" + stderr.afterColon()))
        : Optional.empty();
  }

  /** Returns what a turn comes to whose time was up, or that was cancelled. */
  static AgentResult cutShort(ClientName client, Turn turn, RunRecord record) {
    record.cutOff();
    boolean late = deadlinePassed(turn);
    return AgentResult.failure(
            client.name()
                + (late
                    ? " was ended: the iteration's time was up"
                    : " was ended: the iteration was cancelled")
                + waitedFor(record))
        .cause(late ? Cause.TIMED_OUT : Cause.CANCELLED);
  }

  /** Returns what a client was waiting for, as far as it told, after a semicolon. */
  private static String waitedFor(RunRecord record) {
    ModelError last = record.retries().last();
    return last == null
        ? record.underWay().map(call -> "; " + call).orElse("")
        : "; its model had failed: " + last.said();
  }

  /** Ends the client, if it has not ended, and all that it started. */
  @Override
  public void close() {
    process.close();
  }

  static boolean deadlinePassed(Turn turn) {
    Instant deadline = turn.deadline();
    return deadline != null && !Instant.now().isBefore(deadline);
  }

  private Duration lookAfter() {
    Instant deadline = turn.deadline();
    if (deadline == null) {
      return LOOK_EVERY;
    }
    Duration left = Duration.between(Instant.now(), deadline);
    return left.compareTo(LOOK_EVERY) < 0 ? left : LOOK_EVERY;
  }
}
