package dev.ralph.core.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.CountedStore;
import dev.ralph.log.Batch;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several views that share one read of the log. */
class SharedReadingTest {

  private static final Topic SEATS = Topic.of("hall.friday.seat");
  private static final Topic GUESTS = Topic.of("hall.friday.guest");

  private final FrameStore memory = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final CountedStore store =
      new CountedStore(
          new ForwardingStore(memory) {
            @Override
            public FrameCursor read(Query query) {
              if (isCut) {
                throw RalphException.io("the line is cut");
              }
              return super.read(query);
            }
          });
  private final StoreHandle log = new StoreHandle(store, Clock.systemUTC());
  private final SharedReading reading = new SharedReading(log, TopicFilter.of(SEATS, GUESTS));
  private final FoldLedger<?, List<String>> seats = ledger(SEATS);
  private final FoldLedger<?, List<String>> guests = ledger(GUESTS);
  private int written;
  private boolean isCut;

  @AfterEach
  void close() {
    store.close();
  }

  private FoldLedger<List<String>, List<String>> ledger(Topic topic) {
    return new FoldLedger<>(
        log,
        TopicFilter.of(topic),
        Fold.of("test.list", ArrayList::new, (s, f) -> s.add(f.content()), List::copyOf));
  }

  private Frame append(Topic topic, String content) {
    Batch batch = Batch.of("b" + ++written, List.of(Draft.of(topic, Meta.empty(), content)));
    return memory.append(batch).frames().get(0);
  }

  @Test
  void sharedRead_asksOnceForAllViews() {
    append(SEATS, "A1");
    append(GUESTS, "Ann");
    reading.readNewFrames();
    assertThat(seats.seen(reading)).containsExactly("A1");
    assertThat(guests.seen(reading)).containsExactly("Ann");
    append(SEATS, "A2");
    append(GUESTS, "Bob");
    assertThat(seats.seen(reading)).containsExactly("A1");

    store.trips();
    reading.readNewFrames();
    assertThat(seats.seen(reading)).containsExactly("A1", "A2");
    assertThat(guests.seen(reading)).containsExactly("Ann", "Bob");
    assertThat(store.trips()).hasSize(1);
  }

  @Test
  void frameReadElsewhere_isShownOnce() {
    append(SEATS, "A1");
    reading.readNewFrames();
    append(SEATS, "A2");
    assertThat(seats.state()).containsExactly("A1", "A2");
    assertThat(seats.seen(reading)).containsExactly("A1", "A2");
    reading.readNewFrames();
    assertThat(seats.seen(reading)).containsExactly("A1", "A2");
  }

  @Test
  void framesBeyondTheBuffer_areReadByEachView() {
    reading.readNewFrames();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      append(SEATS, "A" + i);
      all.add("A" + i);
      if (i == 100 || i == 300) {
        reading.readNewFrames();
      }
    }
    append(GUESTS, "Ann");
    reading.readNewFrames();
    assertThat(seats.seen(reading)).isEqualTo(all);
    assertThat(guests.seen(reading)).containsExactly("Ann");
    append(GUESTS, "Bob");
    reading.readNewFrames();
    assertThat(guests.seen(reading)).containsExactly("Ann", "Bob");
  }

  @Test
  void failedSharedRead_letsEachViewRead() {
    reading.readNewFrames();
    append(SEATS, "A1");
    isCut = true;
    assertThatThrownBy(reading::readNewFrames).hasMessage("the line is cut");
    assertThatThrownBy(() -> seats.seen(reading)).hasMessage("the line is cut");

    isCut = false;
    assertThat(seats.seen(reading)).containsExactly("A1");
    append(SEATS, "A2");
    reading.readNewFrames();
    assertThat(seats.seen(reading)).containsExactly("A1", "A2");
  }

  @Test
  void erasedFrame_isNotShown() {
    append(SEATS, "A1");
    Frame erased = append(SEATS, "A2");
    reading.readNewFrames();
    store.erase(List.of(erased.id()));
    reading.readNewFrames();
    assertThat(seats.seen(reading)).containsExactly("A1");
  }

  @Test
  void decision_seesThePresentState() {
    append(GUESTS, "Ann");
    reading.readNewFrames();
    assertThat(guests.seen(reading)).containsExactly("Ann");
    append(GUESTS, "Bob");

    List<String> seen =
        seats.decide(
            "seating",
            TopicFilter.of(GUESTS),
            (taken, now) -> {
              List<String> here = guests.seen(reading);
              return Decision.append(Draft.of(SEATS, Meta.empty(), "" + here), after -> here);
            });

    assertThat(seen).containsExactly("Ann", "Bob");
    assertThat(seats.state()).containsExactly("[Ann, Bob]");
  }
}
