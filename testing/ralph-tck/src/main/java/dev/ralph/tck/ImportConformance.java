package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.tck.internal.SteppedClock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Tests that imported frames keep their ids and times, are imported once, and do not affect minted
 * ids.
 */
public abstract class ImportConformance extends StoreConformance {

  private static final long DAY = 86_400_000;
  private static final Instant LONG_AGO = Instant.parse("2019-12-31T23:59:59.999Z");
  private static final String OLD = "02vxxxxxxxxxxxxxxxxxxxxx1";
  private static final String NEWEST = "f5lxx1zz5pnorynqglhzmsp33";
  private static final String NOT_EVEN_SCRU128 = "zzzzzzzzzzzzzzzzzzzzzzzzz";

  @Test
  void importedFrame_keepsItsIdAndTime() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    Meta meta = Meta.of("action", "add");
    store.append(batch(Draft.imported(OLD, LONG_AGO, TOPIC, meta, "from elsewhere")));

    Frame frame = reopenIfPersistent(store).get(OLD).orElseThrow();
    assertThat(frame.id()).isEqualTo(OLD);
    assertThat(frame.time()).isEqualTo(LONG_AGO);
    assertThat(frame.meta()).isEqualTo(meta);
    assertThat(frame.content()).isEqualTo("from elsewhere");
  }

  @Test
  void importedTimes_areKeptToTheMillisecond() {
    FrameStore store = open();
    List<Draft> drafts = new ArrayList<>();
    List<Instant> kept = new ArrayList<>();
    for (String time :
        List.of(
            "1969-07-20T20:17:39.999Z",
            "1969-12-31T23:59:59.999999999Z",
            "1970-01-01T00:00:00Z",
            "2026-02-03T04:05:06.789123456Z",
            "2039-02-03T04:05:06.007Z",
            "2107-12-31T23:59:59.001Z")) {
      String id = OLD.substring(0, OLD.length() - 1) + drafts.size();
      drafts.add(Draft.imported(id, Instant.parse(time), TOPIC, Meta.empty(), time));
      kept.add(Instant.parse(time).truncatedTo(ChronoUnit.MILLIS));
    }
    assertThat(store.append(Batch.of(newBatchId(), drafts)).frames())
        .extracting(Frame::time)
        .isEqualTo(kept);
    assertThat(readAll(store)).extracting(Frame::time).isEqualTo(kept);
    assertThat(readAll(reopenIfPersistent(store))).extracting(Frame::time).isEqualTo(kept);
  }

  @Test
  void importedFrames_keepTheOrderOfAppends() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    store.append(
        batch(
            imported(NEWEST, "newest first"),
            Draft.of(TOPIC, Meta.empty(), "minted"),
            imported(OLD, "then old")));
    append(store, TOPIC, "after");
    List<Frame> log = readAll(reopenIfPersistent(store));
    assertThat(contents(log))
        .containsExactly("before", "newest first", "minted", "then old", "after");
    assertInOrder(log);
  }

  @Test
  void existingImportedId_isSkipped() {
    FrameStore store = open();
    Frame minted = append(store, TOPIC, "minted here");
    store.append(batch(imported(OLD, "the first")));
    store = reopenIfPersistent(store);

    Appended again =
        store.append(
            batch(
                imported(OLD, "the second"),
                imported(NEWEST, "new"),
                imported(NEWEST, "twice in one batch"),
                imported(minted.id(), "an id minted here")));
    assertNoConflict(again);
    assertThat(contents(again.frames())).containsExactly("new");
    assertThat(contents(readAll(store))).containsExactly("minted here", "the first", "new");
  }

  @Test
  void mintedFramesAmongImports_areFoundById() {
    FrameStore store = open();
    Draft minted = Draft.of(TOPIC, Meta.empty(), "x".repeat(1000));
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String id = NEWEST.substring(0, NEWEST.length() - 3) + (100 + i);
      Draft imported = imported(id, "from elsewhere");
      frames.addAll(store.append(batch(imported, minted, minted, minted)).frames());
    }
    store = reopenIfPersistent(store);
    for (Frame frame : frames) {
      assertThat(store.get(frame.id()).map(Frame::position)).contains(frame.position());
    }
  }

  @Test
  void repeatedImport_addsNothing() {
    FrameStore store = open();
    Batch first = batch(imported(OLD, "one"), imported(NEWEST, "two"));
    Position end = store.append(first).position();
    Appended again = store.append(batch(imported(OLD, "one"), imported(NEWEST, "two")));
    assertNoConflict(again);
    assertThat(again.frames()).isEmpty();
    assertThat(again.position()).isGreaterThanOrEqualTo(end);
    assertThat(readAll(reopenIfPersistent(store))).hasSize(2);
  }

  @Test
  @Order(PLAINEST)
  void importedIds_doNotAffectMinting() {
    SteppedClock clock = new SteppedClock("2026-05-06T07:08:09Z");
    FrameStore store = open(config().clock(clock));
    Frame before = append(store, TOPIC, "before");
    for (String id : List.of(NEWEST, NOT_EVEN_SCRU128, OLD)) {
      store.append(batch(imported(id, "imported")));
    }
    Frame after = append(store, TOPIC, "after");
    assertThat(readAll(store)).hasSize(5);
    store = reopenIfPersistent(store, clock);
    Frame later = append(store, TOPIC, "later");
    for (Frame minted : List.of(after, later)) {
      assertThat(Scru128.timestampMillis(minted.id()))
          .as("time of an id minted after imports with ids of the far future")
          .isBetween(clock.millis(), clock.millis() + 1);
    }
    assertIdsIncrease(List.of(before, after, later));
  }

  @Test
  @Order(PLAINEST)
  void importAtTheEnd_mintingContinues() {
    SteppedClock clock = new SteppedClock("2026-05-06T07:08:09Z");
    FrameStore store = open(config().clock(clock));
    List<Frame> minted = new ArrayList<>(List.of(append(store, TOPIC, "first")));
    for (String id : List.of(OLD, NEWEST)) {
      store.append(batch(imported(id, "imported")));
      clock.step(-DAY);
      store = reopenIfPersistent(store, clock);
      minted.add(append(store, TOPIC, "minted after " + id));
    }
    assertIdsIncrease(minted);
  }

  private static Draft imported(String id, String content) {
    return Draft.imported(id, LONG_AGO, TOPIC, Meta.empty(), content);
  }

  private static Batch batch(Draft... drafts) {
    return Batch.of(newBatchId(), List.of(drafts));
  }
}
