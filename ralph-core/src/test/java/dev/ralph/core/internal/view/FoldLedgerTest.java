package dev.ralph.core.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FoldLedgerTest {

  private static final Topic TOPIC = Topic.of("ralph.auth.count");

  private final FrameStore memory = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final TroubledStore store = new TroubledStore(memory);
  private final FoldLedger<List<String>, List<String>> ledger =
      new FoldLedger<>(
          new StoreHandle(store, Clock.systemUTC()),
          TopicFilter.of(TOPIC),
          Fold.of("test.list", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf));

  /** A store with faulty appends; each fault applies to one append. */
  private static final class TroubledStore extends ForwardingStore {
    private final Deque<Function<Batch, Appended>> troubles = new ArrayDeque<>();
    private int reads;

    TroubledStore(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      return troubles.isEmpty() ? super.append(batch) : troubles.pop().apply(batch);
    }

    @Override
    public FrameCursor read(Query query) {
      reads++;
      return super.read(query);
    }
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private Appended writtenUnnoticed(Batch batch) {
    memory.append(batch);
    return lost(batch);
  }

  private Appended lost(Batch batch) {
    throw new IndeterminateException(
        "lost", batch.id(), batch.condition().since(), new Exception());
  }

  private Appended writtenButNotConfirmed(Batch batch) {
    memory.append(batch);
    throw new IndeterminateException(
        "not confirmed", batch.id(), batch.condition().since(), true, new Exception());
  }

  private Appended othersFirst(Batch batch) {
    Draft other = Draft.of(TOPIC, Meta.empty(), "other");
    memory.append(Batch.of("other-" + batch.id(), List.of(other)));
    return memory.append(batch);
  }

  /** Appends the number of frames. */
  private String appendCount() {
    return ledger.decide(
        "counting",
        (state, now) ->
            Decision.append(
                Draft.of(TOPIC, Meta.empty(), "count " + state.size()),
                after -> String.join(", ", after)));
  }

  private List<String> logged() {
    List<String> logged = new ArrayList<>();
    try (FrameCursor cursor = memory.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        logged.add(frame.content());
      }
    }
    return logged;
  }

  @Test
  void reply_seesTheStateAfterTheAppend() {
    assertThat(appendCount()).isEqualTo("count 0");
    assertThat(appendCount()).isEqualTo("count 0, count 1");
    assertThat(ledger.state()).containsExactly("count 0", "count 1");
  }

  @Test
  void appendedFrame_isNotReadAgain() {
    appendCount();
    assertThat(store.reads).as("one read before the decision").isEqualTo(1);
  }

  @Test
  void knownState_isDecidedOnWithoutReading() {
    appendCount();
    store.reads = 0;
    assertThat(appendCount()).isEqualTo("count 0, count 1");
    assertThat(store.reads).isZero();
  }

  @Test
  void outdatedState_isDecidedAgain() {
    appendCount();
    append("other");
    assertThat(appendCount()).isEqualTo("count 0, other, count 2");
  }

  @Test
  void ledgerBesideWriters_readsBeforeDeciding() {
    appendCount();
    List<Integer> decidedOn = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      append("other");
      ledger.decide(
          "counting",
          (state, now) -> {
            decidedOn.add(state.size());
            return Decision.append(Draft.of(TOPIC, Meta.empty(), "mine"), after -> true);
          });
    }
    assertThat(decidedOn).as("one conflict only").containsExactly(1, 2, 4, 6);
  }

  @Test
  void emptyDecision_isMadeOnThePresentState() {
    appendCount();
    append("other");
    assertThat(ledger.<List<String>>decide("looking", (state, now) -> Decision.nothing(state)))
        .containsExactly("count 0", "other");
  }

  @Test
  void rejection_isMadeOnThePresentState() {
    appendCount();
    append("other");
    String reply =
        ledger.decide(
            "answering",
            (state, now) -> {
              if (!state.contains("other")) {
                throw RalphException.notFound("there is no other");
              }
              return Decision.append(Draft.of(TOPIC, Meta.empty(), "answer"), after -> "done");
            });
    assertThat(reply).isEqualTo("done");
  }

  @Test
  void observedLedger_isUpToDateWhenDeciding() {
    Topic otherTopic = Topic.of("ralph.auth.other");
    StoreHandle handle = new StoreHandle(store, Clock.systemUTC());
    Fold<List<String>, List<String>> fold =
        Fold.of("test.list", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf);
    var looking = new FoldLedger<>(handle, TopicFilter.of(TOPIC), fold);
    var lookedAt = new FoldLedger<>(handle, TopicFilter.of(otherTopic), fold);
    Ledger.Decider<List<String>, String> copying =
        (state, now) ->
            Decision.append(
                Draft.of(TOPIC, Meta.empty(), "saw " + lookedAt.state()),
                after -> after.toString());
    TopicFilter others = TopicFilter.of(otherTopic);
    looking.decide("copying", others, copying);
    store.reads = 0;

    assertThat(looking.decide("copying", others, copying)).isEqualTo("[saw [], saw []]");
    assertThat(store.reads).isZero();

    memory.append(Batch.of("b", List.of(Draft.of(otherTopic, Meta.empty(), "x"))));

    assertThat(looking.decide("copying", others, copying)).endsWith("saw [x]]");
    assertThat(looking.decide("copying", null, copying)).endsWith("saw [x]]");

    memory.append(Batch.of("c", List.of(Draft.of(otherTopic, Meta.empty(), "y"))));

    assertThat(looking.decide("copying", null, copying))
        .as("up to date without a declared dependency")
        .endsWith("saw [x, y]]");
  }

  @Test
  void emptyDecision_writesNothing() {
    assertThat(ledger.<String>decide("nothing", (state, now) -> Decision.nothing("done")))
        .isEqualTo("done");
    assertThat(logged()).isEmpty();
  }

  @Test
  @SuppressWarnings("NullAway") // the tested mistake
  void missingReply_writesNothing() {
    Draft draft = Draft.of(TOPIC, Meta.empty());
    assertThatThrownBy(() -> ledger.decide("adding", (s, now) -> Decision.append(draft, null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("reply");
    assertThatThrownBy(
            () -> ledger.decide("adding", (s, now) -> Decision.append(List.of(draft), null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("reply");
    assertThat(logged()).isEmpty();
  }

  @Test
  void conflictingAppend_isDecidedAgain() {
    for (int i = 0; i < 3; i++) {
      store.troubles.add(this::othersFirst);
    }
    assertThat(appendCount()).isEqualTo("other, other, other, count 3");
    assertThat(logged()).containsExactly("other", "other", "other", "count 3");
  }

  @Test
  void endlessConflict_failsAsContended() {
    for (int i = 0; i < 100_000; i++) {
      store.troubles.add(batch -> Appended.conflict());
    }
    long begun = System.nanoTime();
    assertThatThrownBy(this::appendCount)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.CONTENDED))
        .hasMessageContaining("counting")
        .hasMessageContaining(TOPIC.name());
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(2_000_000_000L);
    assertThat(logged()).isEmpty();
  }

  @Test
  void slowFirstAttempt_doesNotUseTheRetryTime() {
    store.troubles.add(
        batch -> {
          slowly(Duration.ofMillis(2_100)); // like a store that loads data
          return othersFirst(batch);
        });
    store.troubles.add(this::othersFirst);
    assertThat(appendCount()).isEqualTo("other, other, count 2");
  }

  @Test
  void slowAttempts_areRetried() {
    for (int i = 0; i < 5; i++) {
      store.troubles.add(
          batch -> {
            slowly(Duration.ofMillis(600)); // as on a busy machine
            return othersFirst(batch);
          });
    }
    assertThat(appendCount()).endsWith("other, count 5");
  }

  private static void slowly(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  @Test
  void unknownOutcomeOfWrittenAppend_countsOnce() {
    store.troubles.add(this::writtenUnnoticed);
    assertThat(appendCount()).isEqualTo("count 0");
    assertThat(logged()).containsExactly("count 0");
  }

  @Test
  void unknownOutcomeOfLostAppend_isDecidedAgain() {
    store.troubles.add(this::lost);
    assertThat(appendCount()).isEqualTo("count 0");
    assertThat(logged()).containsExactly("count 0");
  }

  @Test
  void unconfirmedAppend_isIndeterminate() {
    store.troubles.add(this::writtenButNotConfirmed);
    assertThatThrownBy(this::appendCount)
        .isInstanceOf(IndeterminateException.class)
        .hasMessage("not confirmed");
    assertThat(ledger.state()).as("readers see the frame").containsExactly("count 0");
    assertThat(appendCount()).isEqualTo("count 0, count 1");
  }

  @Test
  void repeatedUnknownOutcome_isThrown() {
    store.troubles.add(this::lost);
    store.troubles.add(this::lost);
    assertThatThrownBy(this::appendCount).isInstanceOf(IndeterminateException.class);
    assertThat(logged()).isEmpty();
  }

  @Test
  void storeFailure_isThrownAndNextDecisionSucceeds() {
    store.troubles.add(
        batch -> {
          throw RalphException.full("no room");
        });
    assertThatThrownBy(this::appendCount).hasMessage("no room");
    assertThat(appendCount()).isEqualTo("count 0");
  }

  @Test
  void interruptedThread_stillDecides() {
    store.troubles.add(this::othersFirst);
    Thread.currentThread().interrupt();
    try {
      assertThat(appendCount()).isEqualTo("other, count 1");
    } finally {
      assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
    }
  }

  @Test
  void framesOfDeclaredFilter_causeANewDecision() {
    Topic other = Topic.of("ralph.auth.other");
    List<Integer> seen = new ArrayList<>();
    String reply =
        ledger.decide(
            "watching",
            TopicFilter.of(other),
            (state, now) -> {
              seen.add(logged().size());
              if (seen.size() == 1) {
                memory.append(Batch.of("b", List.of(Draft.of(other, Meta.empty(), "x"))));
              }
              return Decision.append(Draft.of(TOPIC, Meta.empty(), "y"), after -> "done");
            });
    assertThat(reply).isEqualTo("done");
    assertThat(seen).containsExactly(0, 1);
  }

  @Test
  void twoLedgers_mayReadMutuallyWhileDeciding() throws Exception {
    Topic otherTopic = Topic.of("ralph.auth.other");
    FoldLedger<List<String>, List<String>> other =
        new FoldLedger<>(
            new StoreHandle(store, Clock.systemUTC()),
            TopicFilter.of(otherTopic),
            Fold.of("test.other", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf));
    CountDownLatch bothDecide = new CountDownLatch(2);
    Ledger.Decider<List<String>, String> first =
        (own, now) -> {
          meet(bothDecide);
          String seen = "saw " + other.state().size();
          return Decision.append(Draft.of(TOPIC, Meta.empty(), seen), after -> seen);
        };
    Ledger.Decider<List<String>, String> second =
        (own, now) -> {
          meet(bothDecide);
          String seen = "saw " + ledger.state().size();
          return Decision.append(Draft.of(otherTopic, Meta.empty(), seen), after -> seen);
        };
    Future<String> one =
        inAnotherThread(() -> ledger.decide("first", TopicFilter.of(otherTopic), first));
    Future<String> two =
        inAnotherThread(() -> other.decide("second", TopicFilter.of(TOPIC), second));
    assertThat(List.of(one.get(1, TimeUnit.MINUTES), two.get(1, TimeUnit.MINUTES)))
        .as("one decision precedes the other")
        .containsExactlyInAnyOrder("saw 0", "saw 1");
  }

  private static void meet(CountDownLatch latch) {
    latch.countDown();
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> Future<T> inAnotherThread(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  @Test
  void state_isReadableDuringADecision() throws Exception {
    List<List<String>> seen = new ArrayList<>();
    String answer =
        ledger.decide(
            "thinking",
            (state, now) -> {
              if (seen.isEmpty()) {
                append("meanwhile");
              }
              seen.add(get(inAnotherThread(ledger::state)));
              return Decision.append(
                  Draft.of(TOPIC, Meta.empty(), "thought " + state.size()),
                  after -> String.join(", ", after));
            });
    assertThat(seen).containsExactly(List.of("meanwhile"), List.of("meanwhile"));
    assertThat(answer).as("decided again").isEqualTo("meanwhile, thought 1");
    assertThat(ledger.state()).containsExactly("meanwhile", "thought 1");
  }

  private static <T> T get(Future<T> future) {
    try {
      return future.get(1, TimeUnit.MINUTES);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nestedDecision_isRejected() {
    assertThatThrownBy(
            () ->
                ledger.decide(
                    "outside",
                    (state, now) -> {
                      appendCount();
                      return Decision.nothing("done");
                    }))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("counting: a decider must not decide");
    assertThat(logged()).isEmpty();
  }

  @Test
  void failingFoldAfterAppend_isReportedAsWritten() {
    try (Ralph ralph = Ralph.over(memory)) {
      Fold<List<String>, List<String>> fold =
          Fold.of(
              "test.list",
              ArrayList::new,
              (state, frame) -> {
                throw RalphException.invalid("no such thing");
              },
              List::copyOf);
      Ledger<List<String>> ledger = ralph.ledger(TopicFilter.of(TOPIC), fold);
      Draft draft = Draft.of(TOPIC, Meta.empty(), "x");

      assertThatThrownBy(
              () -> ledger.decide("pay", (state, now) -> Decision.append(draft, after -> "done")))
          .isInstanceOfSatisfying(
              IndeterminateException.class,
              e -> {
                assertThat(e.isWritten()).isTrue();
                assertThat(memory.findBatch(e.batchId(), e.since())).isPresent();
              })
          .hasMessageStartingWith("pay was written, but ")
          .hasMessageEndingWith("no such thing");
      assertThat(logged()).containsExactly("x");
    }
  }

  @Test
  void deciderAppendingToItsTopic_isRejected() {
    Draft draft = Draft.of(TOPIC, Meta.empty(), "x");
    try (Ralph ralph = Ralph.over(memory)) {
      Fold<List<String>, List<String>> fold =
          Fold.of("test.list", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf);
      Ledger<List<String>> counted = ralph.ledger(TopicFilter.of(TOPIC), fold);
      Ledger<List<String>> same = ralph.ledger(TopicFilter.parse("ralph.auth.*"), fold);
      List<Runnable> appends =
          List.of(
              () -> ralph.append(TOPIC, Meta.empty(), "x"),
              () -> same.decide("inside", (s, now) -> Decision.append(draft, after -> "done")));
      for (Runnable append : appends) {
        assertThatThrownBy(
                () ->
                    counted.decide(
                        "outside",
                        (state, now) -> {
                          append.run();
                          return Decision.append(draft, after -> "done");
                        }))
            .isInstanceOfSatisfying(
                RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
            .hasMessageContaining("must not append to " + TOPIC);
      }
      assertThat(logged()).isEmpty();

      counted.decide(
          "outside",
          (state, now) -> {
            ralph.append(Topic.of("ralph.auth.other"), Meta.empty(), "of no concern");
            return Decision.append(draft, after -> "done");
          });
      ralph.append(TOPIC, Meta.empty(), "later");
      assertThat(logged()).containsExactly("of no concern", "x", "later");
    }
  }

  @Test
  void reply_mayBeNull() {
    Draft draft = Draft.of(TOPIC, Meta.empty(), "x");
    assertThat(
            ledger.<@Nullable String>decide(
                "adding", (state, now) -> Decision.append(draft, after -> null)))
        .isNull();
    assertThat(ledger.<@Nullable String>decide("nothing", (state, now) -> Decision.nothing(null)))
        .isNull();
    assertThat(logged()).containsExactly("x");
  }

  @Test
  @SuppressWarnings("NullAway") // an unchecked program may return null
  void nullDecision_isRejected() {
    assertThatThrownBy(() -> ledger.decide("counting", (state, now) -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("counting")
        .hasMessageContaining("Decision.nothing");
  }

  @Test
  void foreignScopeInFilter_isRejected() {
    TopicFilter elsewhere = TopicFilter.parse("ralph.other.*");
    assertThatThrownBy(
            () ->
                ledger.decide(
                    "watching",
                    elsewhere,
                    (state, now) ->
                        Decision.append(Draft.of(TOPIC, Meta.empty(), "y"), after -> "done")))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID));
    assertThat(logged()).isEmpty();
  }

  @Test
  void ledgerOfSeveralScopes_isRejected() {
    StoreHandle log = new StoreHandle(store, Clock.systemUTC());
    for (String several : List.of("*", "ralph.*")) {
      TopicFilter filter = TopicFilter.parse(several);
      assertThatThrownBy(
              () -> new FoldLedger<>(log, filter, Fold.of("x", () -> "", (s, f) -> {}, s -> s)))
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
          .hasMessageContaining("one scope");
    }
  }

  // ---- waiting

  private void append(String content) {
    Draft draft = Draft.of(TOPIC, Meta.empty(), content);
    memory.append(Batch.of("b-" + System.nanoTime(), List.of(draft)));
  }

  @Test
  void await_returnsAtOnceIfSatisfied() throws Exception {
    append("a");
    assertThat(ledger.await(state -> state.contains("a"), Duration.ZERO)).contains(List.of("a"));
    assertThat(ledger.await(state -> state.contains("b"), Duration.ZERO)).isEmpty();
    assertThat(ledger.await(state -> state.contains("b"), Duration.ofSeconds(-1))).isEmpty();
  }

  @Test
  void foreignAppend_wakesTheWaitingThread() throws Exception {
    append("before");
    CompletableFuture<Optional<List<String>>> waiting = new CompletableFuture<>();
    BlockingQueue<List<String>> asked = new LinkedBlockingQueue<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                Predicate<List<String>> wanted =
                    state -> {
                      asked.add(state);
                      return state.size() == 3;
                    };
                waiting.complete(ledger.await(wanted, Duration.ofDays(400_000)));
              } catch (InterruptedException | RuntimeException e) {
                waiting.completeExceptionally(e);
              }
            });
    waiter.start();
    assertThat(asked.poll(1, TimeUnit.MINUTES)).containsExactly("before");
    append("one");
    assertThat(asked.poll(1, TimeUnit.MINUTES)).containsExactly("before", "one");
    append("two");
    assertThat(waiting.get(1, TimeUnit.MINUTES)).contains(List.of("before", "one", "two"));
    assertThat(store.reads).as("one read at first and one for each change").isEqualTo(3);
  }

  @Test
  void await_endsAfterItsTimeout() throws Exception {
    long begun = System.nanoTime();
    assertThat(ledger.await(state -> false, Duration.ofMillis(200))).isEmpty();
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(200_000_000);
  }

  @Test
  void changeAtTheDeadline_isSeen() throws Exception {
    ForwardingStore lateNews =
        new ForwardingStore(memory) {
          @Override
          public Follower follow(Query query) {
            return new ForwardingFollower(super.follow(query)) {
              @Override
              public @Nullable Frame poll(Duration timeout) {
                FoldLedgerTest.this.append("late");
                LockSupport.parkNanos(timeout.toNanos());
                return null; // no notification yet
              }
            };
          }
        };
    FoldLedger<List<String>, List<String>> waiting =
        new FoldLedger<>(
            new StoreHandle(lateNews, Clock.systemUTC()),
            TopicFilter.of(TOPIC),
            Fold.of("test.list", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf));

    Optional<List<String>> seen =
        waiting.await(state -> state.contains("late"), Duration.ofMillis(20));

    assertThat(seen).hasValueSatisfying(state -> assertThat(state).contains("late"));
  }

  @Test
  void interrupt_endsTheWait() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> ledger.await(state -> false, Duration.ofMinutes(1)))
        .isInstanceOf(InterruptedException.class);
  }

  // ---- past states

  @Test
  void pastLedger_isReadOnly() throws Exception {
    appendCount();
    Frame first = memory.last(TopicFilter.of(TOPIC)).orElseThrow();
    Ledger<List<String>> past = ledger.at(first);
    appendCount();
    assertThat(past.state()).containsExactly("count 0");
    assertThat(past.at(memory.last(TopicFilter.of(TOPIC)).orElseThrow()).state()).hasSize(2);
    assertThat(past.at(first.time().minusSeconds(1)).state()).isEmpty();
    assertThat(past.await(state -> state.size() == 1, Duration.ofMinutes(1))).isPresent();
    assertThat(past.await(state -> state.size() == 2, Duration.ofMinutes(1))).isEmpty();
    assertThatThrownBy(() -> past.decide("changing", (s, now) -> Decision.nothing("done")))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.UNSUPPORTED));
  }
}
