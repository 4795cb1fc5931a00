package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests logs that span the roll files of several days. */
class RollingTest {

  @TempDir Path temp;

  @Test
  void log_continuesAcrossRollsAndClockSteps() throws Exception {
    Path directory = temp.resolve("store");
    List<String> expected = new ArrayList<>();
    List<String> followed = new ArrayList<>();
    try (FrameStore early = open(directory, 0);
        FrameStore late = open(directory, 2);
        Follower follower = late.follow(Query.of(TopicFilter.all()))) {
      for (int i = 0; i < 10; i++) {
        for (FrameStore store : i < 3 ? List.of(early) : List.of(late, early)) {
          append(store, "a" + i, "b" + i);
          expected.addAll(List.of("a" + i, "b" + i));
        }
      }
      while (followed.size() < expected.size()) {
        Frame frame = follower.poll(Duration.ofMinutes(1));
        followed.add(frame == null ? "no frame" : frame.content());
      }
      assertThat(followed).isEqualTo(expected);
      assertThat(read(early).contents()).isEqualTo(expected);
      assertThat(early.verify()).isEmpty();
    }
    assertThat(TestQueue.rollFile(directory, 0)).exists();
    assertThat(TestQueue.rollFile(directory, 1)).doesNotExist();
    assertThat(TestQueue.rollFile(directory, 2)).exists();
    try (FrameStore again = open(directory, 9)) {
      append(again, "last");
      expected.add("last");
      assertThat(read(again).contents()).isEqualTo(expected);
      List<String> backward =
          new ArrayList<>(read(again, Query.of(TopicFilter.all()).backward()).contents());
      java.util.Collections.reverse(backward);
      assertThat(backward).isEqualTo(expected);
      for (String content : List.of("a0", "a3", "last")) {
        assertThat(frameOf(again, content)).as(content).isPresent();
      }
    }
  }

  private static java.util.Optional<Frame> frameOf(FrameStore store, String content) {
    String id = "";
    try (dev.ralph.log.FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      Frame frame;
      while ((frame = cursor.next()) != null) {
        id = frame.content().equals(content) ? frame.id() : id;
      }
    }
    return store.get(id);
  }
}
