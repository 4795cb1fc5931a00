package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of {@link Flow} for a publisher of frames. */
@Timeout(120)
class FramePublisherTest {

  private static final Topic TOPIC = Topic.of("chat.room");

  private final Ralph ralph = Ralph.inMemory();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Flow.Publisher<Frame> publisher =
      new FramePublisher(ralph.log(), Query.of(TopicFilter.of(TOPIC)), threads);

  /** Records the signals, in order. */
  private static final class Signals implements Flow.Subscriber<Frame> {
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription.complete(given);
    }

    @Override
    public void onNext(Frame frame) {
      received.add(frame.content());
    }

    @Override
    public void onError(Throwable failure) {
      received.add(String.valueOf(failure.getMessage()));
    }

    @Override
    public void onComplete() {
      received.add("complete");
    }

    String next() throws InterruptedException {
      return received.poll(60, TimeUnit.SECONDS);
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    ralph.close();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  private Signals subscribe() {
    Signals signals = new Signals();
    publisher.subscribe(signals);
    return signals;
  }

  private void append(String... texts) {
    for (String text : texts) {
      ralph.append(TOPIC, Meta.empty(), text);
    }
  }

  @Test
  void subscriber_getsRequestedFrames() throws Exception {
    append("a", "b");
    Signals signals = subscribe();
    Signals other = subscribe();
    signals.subscription.join().request(3);
    assertThat(signals.next()).isEqualTo("a");
    assertThat(signals.next()).isEqualTo("b");

    append("c", "d");
    other.subscription.join().request(Long.MAX_VALUE);
    other.subscription.join().request(Long.MAX_VALUE);
    for (String expected : new String[] {"a", "b", "c", "d"}) {
      assertThat(other.next()).isEqualTo(expected);
    }
    assertThat(signals.next()).isEqualTo("c");
    assertThat(signals.received).as("not requested").isEmpty();
    signals.subscription.join().request(1);
    assertThat(signals.next()).isEqualTo("d");
  }

  @Test
  void closedLog_completesStream() throws Exception {
    append("a");
    Signals signals = subscribe();
    signals.subscription.join().request(2);
    assertThat(signals.next()).isEqualTo("a");
    ralph.close();
    assertThat(signals.next()).isEqualTo("complete");
  }

  @Test
  void closedLog_completesStreamWithoutRequest() throws Exception {
    append("a");
    Signals idle = subscribe();
    Signals slow = subscribe();
    slow.subscription.join().request(1);
    assertThat(slow.next()).isEqualTo("a");
    ralph.close();
    assertThat(idle.next()).isEqualTo("complete");
    assertThat(slow.next()).isEqualTo("complete");
  }

  @Test
  void closedExecutor_failsStream() throws Exception {
    threads.shutdown();
    Signals signals = subscribe();
    assertThat(signals.subscription).isDone();
    assertThat(signals.next()).contains("rejected");
    signals.subscription.join().request(1);
    signals.subscription.join().cancel();
    assertThat(signals.received).isEmpty();
  }

  @Test
  void requestAfterCancel_isIgnored() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    List<String> received = new CopyOnWriteArrayList<>();
    publisher.subscribe(
        new Flow.Subscriber<>() {
          private Flow.Subscription subscription;

          @Override
          public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(5);
          }

          @Override
          public void onNext(Frame frame) {
            received.add(frame.content());
            subscription.cancel();
            subscription.request(0);
            subscription.request(Long.MIN_VALUE);
            cancelled.countDown();
          }

          @Override
          public void onError(Throwable failure) {
            received.add("error");
          }

          @Override
          public void onComplete() {
            received.add("complete");
          }
        });
    append("a", "b");
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(received).containsExactly("a");
  }

  @Test
  void cancelledSubscription_endsSilently() throws Exception {
    append("a");
    Signals signals = subscribe();
    signals.subscription.join().request(2);
    assertThat(signals.next()).isEqualTo("a");
    signals.subscription.join().cancel();
    signals.subscription.join().cancel();
    signals.subscription.join().request(1);
    append("b");
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(signals.received).isEmpty();
  }

  @Test
  void requestOfNothing_failsStream() throws Exception {
    Signals signals = subscribe();
    signals.subscription.join().request(0);
    assertThat(signals.next()).isEqualTo("request of 0");
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(signals.received).isEmpty();
  }
}
