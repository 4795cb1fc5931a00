package dev.ralph.internal;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.log.RalphException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs a loop on another thread, for {@link Loop#start()}. */
public final class StartedLoop {

  private StartedLoop() {}

  /**
   * Runs a loop.
   *
   * @param executor runs the loop; null for a new daemon thread
   * @return the result or the exception of {@link Loop#run()}. Callers can't complete the stage
   */
  public static CompletionStage<LoopResult> start(Loop loop, @Nullable Executor executor) {
    CompletableFuture<LoopResult> ended = new CompletableFuture<>();
    Runnable work =
        () -> {
          LoopResult result;
          try {
            result = loop.run();
          } catch (Throwable e) {
            ended.completeExceptionally(e);
            return;
          }
          ended.complete(result);
        };
    try {
      if (executor == null) {
        Thread thread = new Thread(work, "ralph-loop");
        thread.setDaemon(true);
        thread.start();
      } else {
        executor.execute(work);
      }
    } catch (RejectedExecutionException e) {
      ended.completeExceptionally(
          RalphException.invalid(
              "the executor rejected the loop: "
                  + e.getMessage()
                  + "; use an open executor with a free thread"));
    }
    return ended.minimalCompletionStage();
  }
}
