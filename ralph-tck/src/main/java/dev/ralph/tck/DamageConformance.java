package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.rest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Durability;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.Seen;
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
 * A flipped bit in what a store has stored never makes it answer wrongly: what is returned is what
 * was appended, and if anything is missing the store says that it is damaged. The kit looks for the
 * content of its frames in the store's files, whatever their format, and flips bits in and around
 * it; where it finds none, anywhere in them.
 */
public abstract class DamageConformance extends StoreConformance {

  private static final int FLIPS = 40;
  private static final int FLIPS_MORE = 15;
  private static final int BATCHES = 15;
  private static final int AT_THE_END = 5;
  private static final String MARK = "marked-";

  @Test
  @Order(PLAINEST)
  void aFlippedBitIsNoticedAndNothingWrongIsReturned() throws Exception {
    flipBits(
        FLIPS,
        (config, appended) -> {
          Look look = look(config, appended);
          assertSound("read", look.forward, appended);
          assertSound("read backward", look.backward, appended);
          assertSound("followed", look.followed, appended);
          assertSound("got by id", look.gotten, appended);
          assertSound("that are the last", look.last, appended);
          assertThat(look.forward.size() < appended.size() && look.told().isEmpty())
              .as("frames are missing without a word")
              .isFalse();
          return look.told().isEmpty();
        });
  }

  @Test
  void damageThatCostFramesIsToldByEveryoneWhoReads() throws Exception {
    flipBits(
        FLIPS_MORE,
        (config, appended) -> {
          Look look = look(config, appended);
          if (look.forward.size() < appended.size()) {
            assertThat(look.toldByVerify).as("damage told by verify()").isNotEmpty();
            assertThat(look.toldByCursor).as("damage told by a cursor").isNotEmpty();
            assertThat(look.toldByFollower).as("damage told by a follower").isNotEmpty();
          }
          if (look.backward.size() < appended.size()) {
            assertThat(look.toldByBackward).as("damage told by a backward cursor").isNotEmpty();
          }
          return look.told().isEmpty();
        });
  }

  @Test
  void damageStaysWhatItIsWhenTheStoreIsOpenedAgainAndAppendedTo() throws Exception {
    flipBits(
        FLIPS_MORE,
        (config, appended) -> {
          Look first = look(config, appended);
          assertThat(look(config, appended))
              .as("a second opening, against the first")
              .isEqualTo(first);
          List<Seen> more;
          try (FrameStore store = fixture().provider().open(config)) {
            Batch later = NumberedBatch.of("later", TOPIC, 2, 200);
            more = Seen.all(store.append(later.durability(Durability.OS)).frames());
          }
          Look after = look(config, appended);
          List<Seen> expected = new ArrayList<>(first.forward);
          expected.addAll(more);
          assertThat(after.forward).as("frames after more was appended").isEqualTo(expected);
          assertThat(after.toldByVerify).as("damage told then").isEqualTo(first.toldByVerify);
          return first.told().isEmpty();
        });
  }

  /** Says whether a store in which a bit was flipped is as it was; fails if it answers wrongly. */
  private interface Examination {
    boolean isUntouched(StoreConfig config, List<Seen> appended) throws Exception;
  }

  private void flipBits(int flips, Examination examination) throws Exception {
    if (!fixture().capabilities().contains(Capability.PERSISTENT)) {
      report("nothing is stored, so nothing can be damaged");
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
      List<Seen> appended = appendMarked(config);
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
            "of %s flipped bits %s were noticed, %s made it refuse, %s made it answer wrongly",
            flips, noticed, refused, wrong));
    if (fixture().capabilities().contains(Capability.DETECTS_DAMAGE)) {
      assertThat(noticed + refused).as("bits that mattered").isPositive();
    }
  }

  private List<Seen> appendMarked(StoreConfig config) {
    List<Seen> appended = new ArrayList<>();
    try (FrameStore store = fixture().provider().open(config)) {
      for (int i = 0; i < BATCHES; i++) {
        // what stands at the very end may look like an append that was cut short
        String id = (i < BATCHES - AT_THE_END ? MARK : "other-") + i;
        Batch batch = NumberedBatch.of(id, TOPIC, 1 + i % 3, 200).durability(Durability.OS);
        appended.addAll(Seen.all(store.append(batch).frames()));
      }
    }
    return appended;
  }

  private static void assertSound(String how, List<Seen> returned, List<Seen> appended) {
    assertThat(appended)
        .as("what was appended, with only the frames %s, in that order", how)
        .containsSubsequence(returned);
    assertThat(returned).as("frames %s", how).doesNotHaveDuplicates();
  }

  /** What a store returns and tells in each way, by one opening, all of it in the log's order. */
  private record Look(
      List<Seen> forward,
      List<Damage> toldByCursor,
      List<Seen> backward,
      List<Damage> toldByBackward,
      List<Seen> followed,
      List<Damage> toldByFollower,
      List<Seen> gotten,
      List<Seen> last,
      List<Damage> toldByVerify) {

    List<Damage> told() {
      return Stream.of(toldByCursor, toldByBackward, toldByFollower, toldByVerify)
          .flatMap(List::stream)
          .collect(Collectors.toList());
    }
  }

  /** Opens the store and looks at it in each way; a batch that is there is there as a whole. */
  private Look look(StoreConfig config, List<Seen> appended) throws InterruptedException {
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
      return new Look(
          Seen.all(forward),
          cursor.damage(),
          Seen.all(backward),
          backwardCursor.damage(),
          Seen.all(followed),
          follower.damage(),
          Seen.all(gotten),
          store.last(TopicFilter.all()).map(Seen::of).stream().collect(Collectors.toList()),
          store.verify());
    }
  }
}
