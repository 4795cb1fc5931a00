package dev.ralph.examples;

import dev.ralph.log.ClosedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Query;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Publishes present and later frames to each subscriber, on a thread of the executor. */
public record FramePublisher(FrameLog log, Query query, Executor executor)
    implements Flow.Publisher<Frame> {
  @Override
  public void subscribe(Flow.Subscriber<? super Frame> to) {
    Semaphore requested = new Semaphore(0);
    Runnable complete = to::onComplete;
    AtomicReference<Runnable> atEnd = new AtomicReference<>(complete);
    Follower follower = log.follow(query);
    to.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long frames) {
            if (frames <= 0) {
              end(() -> to.onError(new IllegalArgumentException("request of " + frames)));
            }
            int most = (1 << 30) - requested.availablePermits(); // as good as unbounded
            requested.release((int) Math.min(Math.max(0, frames), most));
          }

          @Override
          public void cancel() {
            end(() -> {});
          }

          private void end(Runnable signal) {
            atEnd.compareAndSet(complete, signal); // nothing after the first end
            follower.close();
            requested.release(); // wakes the thread, which finds the closed follower
          }
        });
    Runnable work =
        () -> {
          try (follower) {
            while (true) {
              while (!requested.tryAcquire(1, TimeUnit.SECONDS)) {
                log.info(); // throws an exception if the log is closed
              }
              to.onNext(Objects.requireNonNull(follower.poll(Duration.ofDays(10_000))));
            }
          } catch (ClosedException e) {
            Objects.requireNonNull(atEnd.get()).run(); // completes the stream of a closed log
          } catch (Exception e) {
            to.onError(e);
          }
        };
    try {
      executor.execute(work);
    } catch (RejectedExecutionException e) {
      follower.close();
      to.onError(e);
    }
  }
}
