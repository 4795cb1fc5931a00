package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.StoreInfo.Capability;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Durability;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A flipped bit in what a store has stored never makes it answer wrongly: what is returned is what
 * was appended, and if anything is missing the store says that it is damaged. The kit looks for the
 * content of its frames in the store's files, whatever their format, and flips bits in and around
 * it; where it finds none, anywhere in them.
 */
public abstract class DamageConformance extends StoreConformance {

  private static final int FLIPS = 40;
  private static final int AROUND = 300;
  private static final int BATCHES = 15;
  private static final int AT_THE_END = 5;
  private static final String MARK = "marked-";

  @Test
  void aFlippedBitIsNoticedAndNothingWrongIsReturned() throws IOException {
    if (!fixture().capabilities().contains(Capability.PERSISTENT)) {
      report("nothing is stored, so nothing can be damaged");
      assertThat(fixture().capabilities()).doesNotContain(Capability.DETECTS_DAMAGE);
      return;
    }
    Random random = new Random(17);
    Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    int noticed = 0;
    for (int flip = 0; flip < FLIPS; flip++) {
      Path place = Files.createDirectory(temporary.resolve("flip-" + flip));
      Outcome outcome = flip(place, random);
      outcomes.add(outcome);
      noticed += outcome == Outcome.UNTOUCHED ? 0 : 1;
    }
    report(noticed + " of " + FLIPS + " flipped bits were noticed: " + outcomes);
    if (fixture().capabilities().contains(Capability.DETECTS_DAMAGE)) {
      assertThat(outcomes).doesNotContain(Outcome.WRONG);
      assertThat(noticed).as("bits that mattered").isPositive();
    }
  }

  private enum Outcome {
    /** All is there, as it was. */
    UNTOUCHED,
    /** What is there is right, and the store says that something is damaged. */
    TOLD,
    /** The store can't be opened or read, and says so. */
    REFUSED,
    /** Something is missing or wrong, and the store does not say so. */
    WRONG
  }

  private Outcome flip(Path place, Random random) throws IOException {
    Path directory = Objects.requireNonNull(fixture().directory(place));
    List<Seen> appended = new ArrayList<>();
    FrameStore store = fixture().provider().open(StoreConfig.in(directory));
    for (int i = 0; i < BATCHES; i++) {
      // what stands at the very end may look like an append that was cut short
      String id = (i < BATCHES - AT_THE_END ? MARK : "other-") + i;
      Batch batch = NumberedBatch.of(id, TOPIC, 1 + i % 3, 200).durability(Durability.OS);
      appended.addAll(Seen.all(store.append(batch).frames()));
    }
    store.close();
    flipOneBit(filesOf(directory), random);
    return reread(directory, appended);
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

  private static void flipOneBit(List<Path> files, Random random) throws IOException {
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
        return;
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

  private Outcome reread(Path directory, List<Seen> appended) {
    List<Seen> read = new ArrayList<>();
    List<Damage> told = new ArrayList<>();
    try (FrameStore store = fixture().provider().open(StoreConfig.in(directory));
        FrameCursor cursor = store.read(everything())) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        read.add(Seen.of(frame));
      }
      told.addAll(cursor.damage());
      told.addAll(store.verify());
    } catch (RalphException refused) {
      assertThat(refused.code()).as("code of: %s", refused).isNotEqualTo(Code.CLOSED);
      return new HashSet<>(appended).containsAll(read) ? Outcome.REFUSED : Outcome.WRONG;
    }
    if (!new HashSet<>(appended).containsAll(read)) {
      return Outcome.WRONG;
    }
    boolean all = read.equals(appended);
    return told.isEmpty() ? (all ? Outcome.UNTOUCHED : Outcome.WRONG) : Outcome.TOLD;
  }
}
