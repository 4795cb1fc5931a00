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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Publishes present and later frames to each subscriber, on a thread of the executor. */
public record FramePublisher(FrameLog log, Query query, Executor executor)
    implements Flow.Publisher<Frame> {
  @Override
  public void subscribe(Flow.Subscriber<? super Frame> to) {
    Semaphore requested = new Semaphore(0);
    AtomicReference<Runnable> atEnd = new AtomicReference<>(to::onComplete);
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
            atEnd.set(signal);
            follower.close();
            requested.release(); // wakes the thread, which finds the closed follower
          }
        });
    executor.execute(
        () -> {
          try (follower) {
            while (true) {
              requested.acquire();
              to.onNext(Objects.requireNonNull(follower.poll(Duration.ofDays(10_000))));
            }
          } catch (ClosedException e) {
            Objects.requireNonNull(atEnd.get()).run(); // completes the stream of a closed log
          } catch (Exception e) {
            to.onError(e);
          }
        });
  }
}
