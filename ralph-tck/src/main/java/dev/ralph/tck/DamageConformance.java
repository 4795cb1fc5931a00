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
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
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
  private static final int AROUND = 300;
  private static final int BATCHES = 15;
  private static final int AT_THE_END = 5;
  private static final String MARK = "marked-";

  @Test
  @Order(PLAINEST)
  void aFlippedBitIsNoticedAndNothingWrongIsReturned() throws Exception {
    flipBits(
        FLIPS,
        (directory, appended) -> {
          Look look = look(directory, appended);
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
        (directory, appended) -> {
          Look look = look(directory, appended);
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
        (directory, appended) -> {
          Look first = look(directory, appended);
          assertThat(look(directory, appended))
              .as("a second opening, against the first")
              .isEqualTo(first);
          List<Seen> more;
          try (FrameStore store = fixture().provider().open(StoreConfig.in(directory))) {
            Batch later = NumberedBatch.of("later", TOPIC, 2, 200);
            more = Seen.all(store.append(later.durability(Durability.OS)).frames());
          }
          Look after = look(directory, appended);
          List<Seen> expected = new ArrayList<>(first.forward);
          expected.addAll(more);
          assertThat(after.forward).as("frames after more was appended").isEqualTo(expected);
          assertThat(after.toldByVerify).as("damage told then").isEqualTo(first.toldByVerify);
          return first.told().isEmpty();
        });
  }

  /** Says whether a store in which a bit was flipped is as it was; fails if it answers wrongly. */
  private interface Examination {
    boolean isUntouched(Path directory, List<Seen> appended) throws Exception;
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
      Path directory = Objects.requireNonNull(fixture().directory(place));
      List<Seen> appended = appendMarked(directory);
      String where = flipOneBit(filesOf(directory), random);
      try {
        noticed += examination.isUntouched(directory, appended) ? 0 : 1;
      } catch (RalphException e) {
        assertThat(e.code()).as("code of: %s", e).isNotEqualTo(Code.CLOSED);
        refused++;
      } catch (AssertionError e) {
        if (fixture().capabilities().contains(Capability.DETECTS_DAMAGE)) {
          throw new AssertionError("flip " + flip + ", " + where + ": " + e.getMessage(), e);
        }
        wrong++;
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

  private List<Seen> appendMarked(Path directory) {
    List<Seen> appended = new ArrayList<>();
    try (FrameStore store = fixture().provider().open(StoreConfig.in(directory))) {
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

  private List<Path> filesOf(Path directory) throws IOException {
    List<Path> derived = fixture().derivedFiles(directory);
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> Files.isRegularFile(file) && derived.stream().noneMatch(file::startsWith))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private static String flipOneBit(List<Path> files, Random random) throws IOException {
    List<Path> holding = new ArrayList<>();
    List<Long> places = new ArrayList<>();
    for (Path file : files) {
      for (long place : placesOf(MARK, file)) {
        holding.add(file);
        places.add(place);
      }
    }
    Path file;
    long at;
    if (places.isEmpty()) {
      List<Path> filled = new ArrayList<>();
      for (Path candidate : files) {
        if (Files.size(candidate) > 0) {
          filled.add(candidate);
        }
      }
      if (filled.isEmpty()) {
        return "of none, as nothing is stored";
      }
      file = filled.get(random.nextInt(filled.size()));
      at = (long) (random.nextDouble() * Files.size(file));
    } else {
      int chosen = random.nextInt(places.size());
      file = holding.get(chosen);
      long around = places.get(chosen) + random.nextInt(2 * AROUND) - AROUND;
      at = Math.max(0, Math.min(around, Files.size(file) - 1));
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int old = bytes.read();
      bytes.seek(at);
      bytes.write(old ^ 1 << random.nextInt(8));
    }
    return "of byte " + at + " of " + file.getFileName();
  }

  /** Looks at the beginning only of a file that was made large in advance. */
  private static List<Long> placesOf(String text, Path file) throws IOException {
    byte[] beginning = new byte[(int) Math.min(Files.size(file), 1 << 20)];
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
      bytes.readFully(beginning);
    }
    String content = new String(beginning, StandardCharsets.ISO_8859_1);
    List<Long> places = new ArrayList<>();
    for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      places.add((long) at);
    }
    return places;
  }

  /** Opens the store and looks at it in each way; a batch that is there is there as a whole. */
  private Look look(Path directory, List<Seen> appended) throws InterruptedException {
    try (FrameStore store = fixture().provider().open(StoreConfig.in(directory));
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
