package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a loop was set up, but for its {@link Roles}; what each setting means stands at {@link
 * dev.ralph.Loop.Builder}.
 *
 * @param maxIterations 0 for no limit
 * @param timeLimit null for no limit
 * @param limits of what all iterations may use
 * @param budgetFrom the first iteration of the session that counts towards these limits
 * @param record whether a record of each iteration is kept
 * @param maxIdle 0 for no limit
 * @param standBy whether a session that another loop has is waited for
 * @param finalGates run once all others have passed
 * @param done says that completion is to be claimed for the agent
 * @param lease how long the claim on the session lasts unless it is renewed, or null where it lasts
 *     as long as the process
 * @param executor the host's, or null where agents and gates have threads of their own
 */
record LoopSettings(
    Path directory,
    int maxIterations,
    @Nullable Duration timeLimit,
    Limits limits,
    int budgetFrom,
    boolean record,
    int maxIdle,
    Duration grace,
    int maxFailures,
    Duration failurePause,
    boolean standBy,
    boolean waitForAnswers,
    List<Gate> gates,
    List<Gate> finalGates,
    Predicate<Session> done,
    List<Consumer<LoopEvent>> listeners,
    @Nullable Duration lease,
    @Nullable Executor executor) {

  /**
   * Returns what gives agents or gates a thread.
   *
   * @param name of the thread, where it is not the host's
   */
  Executor threads(String name) {
    Executor host = executor;
    return host == null ? Worker.ownThread(name) : host;
  }
}
