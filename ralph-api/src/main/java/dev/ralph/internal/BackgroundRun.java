package dev.ralph.internal;

import dev.ralph.log.RalphException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a loop on another thread. */
public final class BackgroundRun {

  private BackgroundRun() {}

  /**
   * Starts a run.
   *
   * @param run runs the loop and returns the result
   * @param executor runs the loop; null for a new daemon thread
   * @return the result or the exception of the run. Callers can't complete the stage
   */
  public static <T> CompletionStage<T> start(Supplier<T> run, @Nullable Executor executor) {
    CompletableFuture<T> ended = new CompletableFuture<>();
    Runnable work =
        () -> {
          T result;
          try {
            result = run.get();
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
