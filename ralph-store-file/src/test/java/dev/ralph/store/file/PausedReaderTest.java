package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A reader has buffered more than it returned, including a torn tail. Then the tail is repaired,
 * and other frames replace it.
 */
class PausedReaderTest {

  private static final List<String> OLD = List.of("one", "two");
  private static final List<String> NEW = List.of("three", "four", "five", "six");

  @TempDir Path temp;

  @Test
  void replacedTornTail_isReadWithoutDamage() throws IOException {
    byte[] batch = linesOfABatch();
    for (int torn = 1; torn < batch.length; torn += 11) {
      Path directory = temp.resolve("torn" + torn);
      try (FrameStore store = openWithTornTail(directory, Arrays.copyOf(batch, torn));
          FrameCursor reader = store.read(Query.of(TopicFilter.all()))) {
        Frame first = reader.next();
        assertThat(first).isNotNull();

        appendNew(store);

        List<String> read = new ArrayList<>(List.of(first.content()));
        Frame frame;
        while ((frame = reader.next()) != null) {
          read.add(frame.content());
        }
        assertThat(read).as("torn after %d bytes", torn).isEqualTo(oldAndNew());
        assertThat(reader.damage()).as("torn after %d bytes", torn).isEmpty();
      }
    }
  }

  @Test
  void pausedFollower_readsReplacedTornTail() throws Exception {
    byte[] batch = linesOfABatch();
    int inTheSecondLine = batch.length - 20;
    Path directory = temp.resolve("followed");
    try (FrameStore store = openWithTornTail(directory, Arrays.copyOf(batch, inTheSecondLine));
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      List<String> got = new ArrayList<>();
      got.add(take(follower));

      appendNew(store);

      while (got.size() < OLD.size() + NEW.size()) {
        got.add(take(follower));
      }
      assertThat(got).isEqualTo(oldAndNew());
      assertThat(follower.damage()).isEmpty();
    }
  }

  @Test
  void realDamage_isReportedAfterSecondRead() throws IOException {
    Path directory = temp.resolve("damaged");
    try (FrameStore store = openWithTornTail(directory, LogLine.ascii("not a line of a log\n"));
        FrameCursor reader = store.read(Query.of(TopicFilter.all()))) {
      assertThat(reader.next()).isNotNull();
      appendNew(store);
      int more = 0;
      while (reader.next() != null) {
        more++;
      }
      assertThat(more).isEqualTo(1 + NEW.size());
      assertThat(reader.damage()).hasSize(1);
    }
  }

  private static String take(Follower follower) throws InterruptedException {
    Frame frame = follower.poll(Duration.ofMinutes(1));
    assertThat(frame).as("a frame within a minute").isNotNull();
    return frame.content();
  }

  private static List<String> oldAndNew() {
    List<String> both = new ArrayList<>(OLD);
    both.addAll(NEW);
    return both;
  }

  private static void appendNew(FrameStore store) {
    TestLog.append(store, TestLog.TOPIC, NEW.get(0));
    TestLog.append(store, TestLog.TOPIC, NEW.get(1), NEW.get(2));
    TestLog.append(store, TestLog.TOPIC, NEW.get(3));
  }

  private static FrameStore openWithTornTail(Path directory, byte[] torn) throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      for (String content : OLD) {
        TestLog.append(store, TestLog.TOPIC, content);
      }
    }
    Files.write(TestLog.segment(directory), torn, StandardOpenOption.APPEND);
    return TestLog.open(directory);
  }

  private byte[] linesOfABatch() throws IOException {
    Path directory = temp.resolve("batch");
    try (FrameStore store = TestLog.open(directory)) {
      int header = (int) Files.size(TestLog.segment(directory));
      TestLog.append(store, TestLog.TOPIC, "never whole", "never there");
      byte[] log = Files.readAllBytes(TestLog.segment(directory));
      return Arrays.copyOfRange(log, header, log.length);
    }
  }
}
