package dev.ralph.core.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.core.internal.control.ControlFold;
import dev.ralph.core.internal.iteration.IterationFold;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.note.NoteFold;
import dev.ralph.core.internal.task.TaskFold;
import dev.ralph.domain.TextSource;
import dev.ralph.internal.ForwardingCursor;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FoldViewTest {

  private static final Topic WANTED = Topic.of("ralph.auth.wanted");
  private static final Topic FOREIGN = Topic.of("ralph.auth.foreign");
  private static final TopicFilter FILTER = TopicFilter.of(WANTED);

  private final FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final StoreHandle log = new StoreHandle(store, Clock.systemUTC());
  private final Ralph ralph = Ralph.over(store);
  private int batches;

  @AfterEach
  void close() {
    ralph.close();
  }

  private List<Frame> append(Draft... drafts) {
    return store.append(Batch.of("batch-" + ++batches, List.of(drafts))).frames();
  }

  private void append(int frames) {
    append(
        IntStream.range(0, frames)
            .mapToObj(i -> Draft.of(WANTED, Meta.of("i", i)))
            .toArray(Draft[]::new));
  }

  /**
   * Counts frames, and records how many frames were applied rather than restored from a snapshot.
   */
  private static final class Count implements Fold<Long, Long>, Fold.Codec<Long> {
    private final AtomicInteger applied = new AtomicInteger();

    @Override
    public String name() {
      return "test.count";
    }

    @Override
    public int version() {
      return 1;
    }

    @Override
    public Long initial() {
      return 0L;
    }

    @Override
    public Long apply(Long state, Frame frame) {
      applied.incrementAndGet();
      return state + 1;
    }

    @Override
    public Long result(Long state) {
      return state;
    }

    @Override
    public Optional<Codec<Long>> codec() {
      return Optional.of(this);
    }

    @Override
    public byte[] encode(Long state) {
      return state.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Long decode(byte[] bytes) {
      return Long.valueOf(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  private static Snapshot.Key key(Fold<?, ?> fold) {
    return FoldView.snapshotKey(fold, FILTER);
  }

  // ---- incremental reads

  @Test
  void view_readsOnlyNewFrames() {
    Count count = new Count();
    View<Long> view = new FoldView<>(log, FILTER, count);
    append(10);
    assertThat(view.current()).isEqualTo(10);
    append(Draft.of(FOREIGN, Meta.empty()));
    append(5);
    assertThat(view.current()).isEqualTo(15);
    assertThat(view.current()).isEqualTo(15);
    assertThat(count.applied).hasValue(15);
  }

  @Test
  void position_followsTheReadFrames() {
    View<Long> view = new FoldView<>(log, FILTER, new Count());
    assertThat(view.position()).isEqualTo(Position.START);
    append(3);
    view.current();
    Position read = view.position();
    append(Draft.of(FOREIGN, Meta.empty()));
    append(2);
    assertThat(view.position()).as("no read since then").isEqualTo(read);
    List<Frame> after = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(FILTER).after(read))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        after.add(frame);
      }
    }
    assertThat(after).as("frames not in the state yet").hasSize(2);
    view.current();
    assertThat(view.position().isAfter(after.get(0).position())).isTrue();
  }

  @Test
  void result_isComputedOncePerChange() {
    AtomicInteger made = new AtomicInteger();
    View<Integer> view =
        ralph.view(
            WANTED, Fold.of("test.made", () -> "", (s, f) -> {}, s -> made.incrementAndGet()));
    append(1);
    view.current();
    append(Draft.of(FOREIGN, Meta.empty()));
    view.current();
    assertThat(made).hasValue(1);
    append(1);
    view.current();
    assertThat(made).hasValue(2);
  }

  @Test
  void failedFold_startsAgain() {
    AtomicInteger failures = new AtomicInteger(1);
    View<List<String>> view =
        ralph.view(
            WANTED,
            Fold.of(
                "test.failing",
                () -> new ArrayList<String>(),
                (state, frame) -> {
                  state.add(frame.content());
                  if (frame.content().equals("b") && failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("half-way");
                  }
                },
                List::copyOf));
    append(
        Draft.of(WANTED, Meta.empty(), "a"),
        Draft.of(WANTED, Meta.empty(), "b"),
        Draft.of(WANTED, Meta.empty(), "c"));
    assertThatThrownBy(view::current).hasStackTraceContaining("half-way");
    assertThat(view.current()).containsExactly("a", "b", "c");
  }

  @Test
  void failedFold_namesItselfAndTheFrame() {
    Frame frame = append(Draft.of(WANTED, Meta.of("count", "many"), "a")).get(0);
    String where = "the fold test.wrong failed at the frame " + frame.id() + " of " + WANTED + ": ";
    View<Integer> number = failing((state, next) -> Integer.valueOf(next.content()));
    assertThatThrownBy(number::current)
        .hasMessage(where + "java.lang.NumberFormatException: For input string: \"a\"")
        .hasCauseInstanceOf(NumberFormatException.class);
    assertThatThrownBy(() -> number.at(frame)).hasMessageStartingWith(where);
    assertThatThrownBy(() -> number.at(frame.time())).hasMessageStartingWith(where);

    assertThatThrownBy(
            failing(
                    (state, next) -> {
                      throw RalphException.invalid("no count");
                    })
                ::current)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessage(where + "no count");
    assertThatThrownBy(failing((state, next) -> null)::current)
        .hasMessageStartingWith(where)
        .hasMessageContaining("null");
  }

  private View<Integer> failing(BiFunction<Integer, Frame, @Nullable Integer> apply) {
    return ralph.view(
        WANTED,
        new Fold<Integer, Integer>() {
          @Override
          public String name() {
            return "test.wrong";
          }

          @Override
          public int version() {
            return 1;
          }

          @Override
          public Integer initial() {
            return 0;
          }

          @Override
          @SuppressWarnings("NullAway") // a host may return null
          public Integer apply(Integer state, Frame frame) {
            return apply.apply(state, frame);
          }

          @Override
          public Integer result(Integer state) {
            return state;
          }
        });
  }

  // ---- snapshots

  @Test
  void snapshot_isSavedAndContinued() {
    append(FoldView.FRAMES_PER_SNAPSHOT - 1);
    Count first = new Count();
    View<Long> view = new FoldView<>(log, FILTER, first);
    view.current();
    assertThat(store.snapshots().load(key(first))).isEmpty();
    append(1);
    view.current();
    assertThat(store.snapshots().load(key(first))).isPresent();
    append(3);

    Count second = new Count();
    assertThat(new FoldView<>(log, FILTER, second).current())
        .isEqualTo(FoldView.FRAMES_PER_SNAPSHOT + 3);
    assertThat(second.applied).hasValue(3);
  }

  @Test
  void viewWithDamage_savesNoSnapshot() {
    append(FoldView.FRAMES_PER_SNAPSHOT);
    DamagedStore damaged = new DamagedStore(store);
    Count count = new Count();
    FoldView<Long, Long> view =
        new FoldView<>(new StoreHandle(damaged, Clock.systemUTC()), FILTER, count);
    view.current();
    append(FoldView.FRAMES_PER_SNAPSHOT);
    view.current();
    assertThat(view.damage()).containsExactly(DamagedStore.DAMAGE);
    assertThat(store.snapshots().load(key(count))).isEmpty();

    FoldView<Long, Long> reopened =
        new FoldView<>(new StoreHandle(damaged, Clock.systemUTC()), FILTER, count);
    reopened.current();
    assertThat(reopened.damage()).containsExactly(DamagedStore.DAMAGE);
  }

  /** A store whose log is damaged at its start. */
  private static final class DamagedStore extends ForwardingStore {
    private static final Damage DAMAGE = new Damage("log", 0, 10, 1, "overwritten");

    DamagedStore(FrameStore store) {
      super(store);
    }

    @Override
    public FrameCursor read(Query query) {
      List<Damage> met = query.after().equals(Position.START) ? List.of(DAMAGE) : List.of();
      return new ForwardingCursor(super.read(query)) {
        @Override
        public List<Damage> damage() {
          return met;
        }
      };
    }
  }

  @Test
  void foreignSnapshot_isIgnored() {
    append(5);
    Frame last = store.last(FILTER).orElseThrow();
    byte[] wrong = "1000".getBytes(StandardCharsets.UTF_8);
    Position elsewhere = Position.of(last.position().value() - 1);
    for (Snapshot snapshot :
        List.of(
            new Snapshot("0".repeat(25), last.position(), wrong),
            new Snapshot(last.id(), elsewhere, wrong),
            new Snapshot(last.id(), last.position(), "x".getBytes(StandardCharsets.UTF_8)))) {
      Count count = new Count();
      store.snapshots().save(key(count), snapshot);
      FoldView<Long, Long> view = new FoldView<>(log, FILTER, count);
      assertThat(view.current()).isEqualTo(5);
      assertThat(view.at(last)).isEqualTo(5);
    }
  }

  @Test
  void failingSnapshots_fallBackToTheFirstFrame() {
    append(FoldView.FRAMES_PER_SNAPSHOT);
    FrameStore failing =
        new ForwardingStore(store) {
          @Override
          public SnapshotStore snapshots() {
            throw RalphException.io("no snapshots today");
          }
        };
    Count count = new Count();
    FoldView<Long, Long> view =
        new FoldView<>(new StoreHandle(failing, Clock.systemUTC()), FILTER, count);
    assertThat(view.current()).isEqualTo(FoldView.FRAMES_PER_SNAPSHOT);
    assertThat(count.applied).hasValue(FoldView.FRAMES_PER_SNAPSHOT);
  }

  @Test
  void brokenTaskSnapshot_isIgnored() {
    ralph.session("auth").tasks().add("a");
    Topic topic = Topic.of("ralph.auth.task");
    Frame last = store.last(TopicFilter.of(topic)).orElseThrow();
    for (String broken :
        List.of("", "[", "[]", "[1,1]", "{}", "[1,-1]", "[1,1,\"x\"]", "[0,99999999999]", "null")) {
      store
          .snapshots()
          .save(
              FoldView.snapshotKey(new TaskFold(new TextSource(log::find)), TopicFilter.of(topic)),
              new Snapshot(last.id(), last.position(), broken.getBytes(StandardCharsets.UTF_8)));
      assertThat(
              new FoldView<>(log, TopicFilter.of(topic), new TaskFold(new TextSource(log::find)))
                  .current()
                  .list())
          .as("with the snapshot %s", broken)
          .hasSize(1);
    }
  }

  // ---- folds with the same name

  /** Counts each frame twice, under the name of {@link Count}. */
  private static final class DoubleCount implements Fold<Long, Long> {
    @Override
    public String name() {
      return "test.count";
    }

    @Override
    public int version() {
      return 1;
    }

    @Override
    public Long initial() {
      return 0L;
    }

    @Override
    public Long apply(Long state, Frame frame) {
      return state + 2;
    }

    @Override
    public Long result(Long state) {
      return state;
    }

    @Override
    public Optional<Codec<Long>> codec() {
      return Optional.of(new Count());
    }
  }

  @Test
  void twoFoldsWithSameName_areRejected() {
    ralph.view(FILTER, new Count());
    ralph.view(FILTER, new Count());
    ralph.view(FOREIGN, new DoubleCount());
    assertThatThrownBy(() -> ralph.ledger(FILTER, new DoubleCount()))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessageContaining("'test.count' in version 1")
        .hasMessageContaining(Count.class.getName())
        .hasMessageContaining(DoubleCount.class.getName());
  }

  private static Fold<AtomicInteger, Integer> byFunctions(int step) {
    return Fold.of(
        "test.sum",
        1,
        AtomicInteger::new,
        (sum, frame) -> sum.addAndGet(step),
        AtomicInteger::get,
        SUM);
  }

  private static final Fold.Codec<AtomicInteger> SUM =
      new Fold.Codec<>() {
        @Override
        public byte[] encode(AtomicInteger state) {
          return new byte[] {(byte) state.get()};
        }

        @Override
        public AtomicInteger decode(byte[] bytes) {
          return new AtomicInteger(bytes[0]);
        }
      };

  @Test
  void foldsOfSameFunctions_areAccepted() {
    ralph.view(FILTER, byFunctions(1));
    ralph.view(FILTER, byFunctions(1));
    Fold<AtomicInteger, Integer> other =
        Fold.of(
            "test.sum",
            1,
            AtomicInteger::new,
            (sum, frame) -> sum.addAndGet(2),
            AtomicInteger::get,
            SUM);
    assertThatThrownBy(() -> ralph.view(FILTER, other)).hasMessageContaining("'test.sum'");
  }

  @Test
  void foldsWithoutSnapshots_mayShareAName() {
    append(1);
    ralph.view(FILTER, new Count());
    View<Integer> other = ralph.view(FILTER, Fold.of("test.count", () -> "", (s, f) -> {}, s -> 7));
    assertThat(other.current()).isEqualTo(7);
  }

  @Test
  void foreignFoldWithSameName_hasItsOwnSnapshots() {
    append(FoldView.FRAMES_PER_SNAPSHOT);
    ralph.view(FILTER, new Count()).current();
    assertThat(store.snapshots().load(key(new Count()))).isPresent();
    try (Ralph another = Ralph.over(new Unclosed(store))) {
      assertThat(another.view(FILTER, new DoubleCount()).current())
          .isEqualTo(2L * FoldView.FRAMES_PER_SNAPSHOT);
    }
    Count again = new Count();
    assertThat(Ralph.over(store).view(FILTER, again).current())
        .isEqualTo(FoldView.FRAMES_PER_SNAPSHOT);
    assertThat(again.applied).as("restored from its own snapshot").hasValue(0);
  }

  /** A second access to the store, as from another program; close() has no effect. */
  private static final class Unclosed extends ForwardingStore {
    Unclosed(FrameStore store) {
      super(store);
    }

    @Override
    public void close() {}
  }

  // ---- past states

  @Test
  void foreignFrame_isNoMomentOfThisStore() {
    append(5);
    try (Ralph other = Ralph.inMemory()) {
      Draft draft = Draft.of(WANTED, Meta.empty());
      Frame foreign = other.log().append(Batch.of("b", List.of(draft))).frames().get(0);
      FoldView<Long, Long> view = new FoldView<>(log, FILTER, new Count());
      assertThatThrownBy(() -> view.at(foreign))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
          .hasMessageContaining(foreign.id());
    }
  }

  static Stream<Fold<?, ?>> folds() {
    TextSource texts = new TextSource(id -> Optional.empty());
    return Stream.of(
        new TaskFold(texts),
        new MessageFold(texts),
        new NoteFold(texts),
        new IterationFold(),
        new ControlFold());
  }

  @ParameterizedTest
  @MethodSource("folds")
  void everyMoment_equalsAFoldOfEarlierFrames(Fold<?, ?> fold) {
    checkEveryMoment(encoded(fold));
  }

  private <S> void checkEveryMoment(Fold<S, String> fold) {
    Random random = new Random(fold.name().hashCode());
    List<Frame> frames = new ArrayList<>();
    List<String> ids = new ArrayList<>(List.of("0"));
    FoldView<S, String> incremental = new FoldView<>(log, FILTER, fold);
    List<String> expected = new ArrayList<>();
    S state = fold.initial();
    for (int i = 0; i < 500; i++) {
      append(Draft.of(FOREIGN, Meta.of("action", "add")));
      Frame frame = append(randomDraft(random, ids)).get(0);
      ids.add(frame.id());
      frames.add(frame);
      state = fold.apply(state, frame);
      expected.add(fold.result(state));
      if (random.nextInt(4) == 0) {
        assertThat(incremental.current()).isEqualTo(expected.get(i));
      }
    }
    Fold.Codec<S> codec = fold.codec().orElseThrow();
    for (int snapshot : new int[] {-1, 0, 250, 499}) {
      if (snapshot >= 0) {
        S then = fold.initial();
        for (Frame frame : frames.subList(0, snapshot + 1)) {
          then = fold.apply(then, frame);
        }
        Frame last = frames.get(snapshot);
        store
            .snapshots()
            .save(key(fold), new Snapshot(last.id(), last.position(), codec.encode(then)));
      }
      FoldView<S, String> fresh = new FoldView<>(log, FILTER, fold);
      assertThat(fresh.current()).isEqualTo(expected.get(499));
      for (int k = 0; k < 500; k++) {
        String there = (k % 2 == 0 ? fresh : incremental).at(frames.get(k));
        assertThat(there)
            .as("after frame %s, with a snapshot of %s", k + 1, snapshot + 1)
            .isEqualTo(expected.get(k));
      }
    }
    assertThat(expected.stream().distinct().count()).as("different states").isGreaterThan(50);
  }

  /** Returns a fold whose result is the encoded state of another fold. */
  private static <S> Fold<S, String> encoded(Fold<S, ?> fold) {
    return new Fold<>() {
      @Override
      public String name() {
        return fold.name();
      }

      @Override
      public int version() {
        return fold.version();
      }

      @Override
      public S initial() {
        return fold.initial();
      }

      @Override
      public S apply(S state, Frame frame) {
        return fold.apply(state, frame);
      }

      @Override
      public String result(S state) {
        return new String(fold.codec().orElseThrow().encode(state), StandardCharsets.UTF_8);
      }

      @Override
      public Optional<Codec<S>> codec() {
        return fold.codec();
      }
    };
  }

  private static Draft randomDraft(Random random, List<String> ids) {
    String[] actions = {
      "add",
      "add",
      "add",
      "status",
      "claim",
      "renew",
      "release",
      "depend",
      "edit",
      "remove",
      "mark_read",
      "start",
      "start",
      "complete",
      "complete",
      "session_complete",
      "session_completed",
      "completion_refused",
      "pause",
      "resume",
      "stop",
      "loop_start",
      "loop_end",
      "unknown"
    };
    String[] statuses = {
      "remaining", "in_progress", "blocked", "completed", "cancelled", "success", "failure", "odd"
    };
    String id = ids.get(random.nextInt(ids.size()));
    Meta meta =
        Meta.of("action", actions[random.nextInt(actions.length)])
            .with("id", random.nextInt(5) == 0 ? id.substring(0, Math.min(12, id.length())) : id)
            .with("status", statuses[random.nextInt(statuses.length)])
            .with("on", ids.get(random.nextInt(ids.size())))
            .with("claim", random.nextBoolean() ? ids.get(ids.size() - 1) : null)
            .with("owner", "owner " + random.nextInt(3))
            .with("until", "2026-03-01T10:00:0" + random.nextInt(10) + "Z")
            .with("n", random.nextInt(3) == 0 ? random.nextInt(20) : null)
            .with("priority", random.nextInt(6))
            .with("depends", random.nextInt(3) == 0 ? List.of(id) : null)
            .with("type", statuses[random.nextInt(statuses.length)])
            .with("reason", random.nextBoolean() ? "because " + random.nextInt() : null)
            .with("reasons", List.of("because " + random.nextInt()))
            .with("iteration", random.nextInt(5))
            .with("summary", random.nextBoolean() ? "did it" : null)
            .with("usage", Meta.of("input_tokens", 3).with("cost_usd", 0.5))
            .with("host", "elsewhere")
            .with("pid", random.nextInt(3))
            .with("by", random.nextBoolean() ? "ann" : null)
            .with("key", random.nextBoolean() ? "k" + random.nextInt(5) : null);
    return Draft.of(WANTED, meta, "text \"" + random.nextInt() + "\"\n");
  }

  @Test
  void time_includesFramesUpToTheLastInTime() {
    String[] times = {"10:00:00", "10:00:01", "10:00:01", "10:00:05", "10:00:02"};
    for (int i = 0; i < times.length; i++) {
      append(
          Draft.imported(
              String.format("%025d", i),
              Instant.parse("2026-03-01T" + times[i] + "Z"),
              WANTED,
              Meta.empty(),
              ""));
    }
    View<Long> view = new FoldView<>(log, FILTER, new Count());
    List<Long> counts =
        Stream.of("09:59:59", "10:00:00", "10:00:01", "10:00:02", "10:00:04", "10:00:05")
            .map(time -> view.at(Instant.parse("2026-03-01T" + time + "Z")))
            .collect(Collectors.toList());
    assertThat(counts).containsExactly(0L, 1L, 3L, 5L, 5L, 5L);
  }
}
