package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.rest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.FrameValues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Tests damage: after a flipped bit the store returns only appended frames, and reports damage if
 * frames are missing. The TCK searches the store's files for the content of its frames, in any
 * format, and flips bits in and around it, or anywhere if the content is not found.
 */
public abstract class DamageConformance extends StoreConformance {

  private static final int FLIPS = 40;
  private static final int FLIPS_MORE = 15;
  private static final int BATCHES = 15;
  private static final int AT_THE_END = 5;
  private static final String MARK = "marked-";

  @Test
  @Order(PLAINEST)
  void flippedBit_isDetected() throws Exception {
    flipBits(
        FLIPS,
        (config, appended) -> {
          ReadResults results = readAllWays(config, appended);
          assertSound("read", results.forward, appended);
          assertSound("read backward", results.backward, appended);
          assertSound("followed", results.followed, appended);
          assertSound("got by id", results.gotten, appended);
          assertSound("returned by last", results.last, appended);
          assertThat(results.forward.size() < appended.size() && results.reported().isEmpty())
              .as("frames are missing without reported damage")
              .isFalse();
          return results.reported().isEmpty();
        });
  }

  @Test
  void damage_isReportedByAllReaders() throws Exception {
    flipBits(
        FLIPS_MORE,
        (config, appended) -> {
          ReadResults results = readAllWays(config, appended);
          if (results.forward.size() < appended.size()) {
            assertThat(results.reportedByVerify).as("damage reported by verify()").isNotEmpty();
            assertThat(results.reportedByCursor).as("damage reported by a cursor").isNotEmpty();
            assertThat(results.reportedByFollower).as("damage reported by a follower").isNotEmpty();
          }
          if (results.backward.size() < appended.size()) {
            assertThat(results.reportedByBackward)
                .as("damage reported by a backward cursor")
                .isNotEmpty();
          }
          return results.reported().isEmpty();
        });
  }

  @Test
  void damage_isUnchangedByReopenAndAppend() throws Exception {
    flipBits(
        FLIPS_MORE,
        (config, appended) -> {
          ReadResults first = readAllWays(config, appended);
          assertThat(readAllWays(config, appended))
              .as("second opening, compared with the first")
              .isEqualTo(first);
          List<FrameValues> more;
          try (FrameStore store = fixture().provider().open(config)) {
            Batch later = NumberedBatch.of("later", TOPIC, 2, 200);
            more = FrameValues.all(store.append(later.synced(false)).frames());
          }
          ReadResults after = readAllWays(config, appended);
          List<FrameValues> expected = new ArrayList<>(first.forward);
          expected.addAll(more);
          assertThat(after.forward).as("frames after further appends").isEqualTo(expected);
          assertThat(after.reportedByVerify)
              .as("damage reported after further appends")
              .isEqualTo(first.reportedByVerify);
          return first.reported().isEmpty();
        });
  }

  /**
   * Examines a store with a flipped bit, and returns whether the store is unaffected; fails on a
   * wrong answer.
   */
  private interface Examination {
    boolean isUntouched(StoreConfig config, List<FrameValues> appended) throws Exception;
  }

  private void flipBits(int flips, Examination examination) throws Exception {
    if (!fixture().capabilities().contains(Capability.PERSISTENT)) {
      report("nothing is stored");
      assertThat(fixture().capabilities()).doesNotContain(Capability.DETECTS_DAMAGE);
      return;
    }
    Random random = new Random(17);
    int noticed = 0;
    int refused = 0;
    int wrong = 0;
    for (int flip = 0; flip < flips; flip++) {
      Path place = Files.createDirectory(temporary.resolve("flip-" + flip));
      StoreConfig config = fixture().place(place);
      List<FrameValues> appended = appendMarked(config);
      String where = fixture().flipOneBit(place, MARK, random);
      if (where == null) {
        report("its bits can't be reached");
        assertThat(fixture().capabilities()).doesNotContain(Capability.DETECTS_DAMAGE);
        fixture().drop(place);
        return;
      }
      try {
        noticed += examination.isUntouched(config, appended) ? 0 : 1;
      } catch (RalphException e) {
        assertThat(e.code()).as("code of: %s", e).isNotEqualTo(Code.CLOSED);
        refused++;
      } catch (AssertionError e) {
        if (fixture().capabilities().contains(Capability.DETECTS_DAMAGE)) {
          throw new AssertionError("flip " + flip + ", " + where + ": " + e.getMessage(), e);
        }
        wrong++;
      } finally {
        fixture().drop(place);
      }
    }
    report(
        String.format(
            "of %s flipped bits %s were reported, %s caused errors, %s caused wrong answers",
            flips, noticed, refused, wrong));
    if (fixture().capabilities().contains(Capability.DETECTS_DAMAGE)) {
      assertThat(noticed + refused).as("flips with an effect").isPositive();
    }
  }

  private List<FrameValues> appendMarked(StoreConfig config) {
    List<FrameValues> appended = new ArrayList<>();
    try (FrameStore store = fixture().provider().open(config)) {
      for (int i = 0; i < BATCHES; i++) {
        // damage at the very end may look like an incomplete append
        String id = (i < BATCHES - AT_THE_END ? MARK : "other-") + i;
        Batch batch = NumberedBatch.of(id, TOPIC, 1 + i % 3, 200).synced(false);
        appended.addAll(FrameValues.all(store.append(batch).frames()));
      }
    }
    return appended;
  }

  private static void assertSound(
      String how, List<FrameValues> returned, List<FrameValues> appended) {
    assertThat(appended)
        .as("appended frames, which contain the frames %s in order", how)
        .containsSubsequence(returned);
    assertThat(returned).as("frames %s", how).doesNotHaveDuplicates();
  }

  /** The results of reading a store in all ways after one opening, in the log's order. */
  private record ReadResults(
      List<FrameValues> forward,
      List<Damage> reportedByCursor,
      List<FrameValues> backward,
      List<Damage> reportedByBackward,
      List<FrameValues> followed,
      List<Damage> reportedByFollower,
      List<FrameValues> gotten,
      List<FrameValues> last,
      List<Damage> reportedByVerify) {

    List<Damage> reported() {
      return Stream.of(reportedByCursor, reportedByBackward, reportedByFollower, reportedByVerify)
          .flatMap(List::stream)
          .collect(Collectors.toList());
    }
  }

  /** Opens the store and reads it in all ways; checks each batch for completeness. */
  private ReadResults readAllWays(StoreConfig config, List<FrameValues> appended)
      throws InterruptedException {
    try (FrameStore store = fixture().provider().open(config);
        FrameCursor cursor = store.read(everything());
        FrameCursor backwardCursor = store.read(everything().backward());
        Follower follower = store.follow(everything())) {
      List<Frame> forward = rest(cursor);
      List<Frame> backward = rest(backwardCursor);
      Collections.reverse(backward);
      List<Frame> followed = new ArrayList<>();
      for (Frame f = follower.poll(Duration.ZERO); f != null; f = follower.poll(Duration.ZERO)) {
        followed.add(f);
      }
      List<Frame> gotten =
          appended.stream().flatMap(f -> store.get(f.id()).stream()).collect(Collectors.toList());
      Stream.of(forward, backward, followed, gotten).forEach(NumberedBatch::assertWhole);
      return new ReadResults(
          FrameValues.all(forward),
          cursor.damage(),
          FrameValues.all(backward),
          backwardCursor.damage(),
          FrameValues.all(followed),
          follower.damage(),
          FrameValues.all(gotten),
          store.last(TopicFilter.all()).map(FrameValues::of).stream().collect(Collectors.toList()),
          store.verify());
    }
  }
}
