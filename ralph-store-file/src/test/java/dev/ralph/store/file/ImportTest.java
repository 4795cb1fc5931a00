package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImportTest {

  private static final String ID = "02vxxxxxxxxxxxxxxxxxxxxx1";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+1000000000-12-31T23:59:59.999999999Z", "-1000000000-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z", "-0001-12-31T23:59:59.999Z"
      })
  void invalidTime_isRejected(String time) {
    try (FrameStore store = TestLog.open(directory)) {
      assertThatThrownBy(() -> store.append(imported(Instant.parse(time), "when?")))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
          .hasMessageContaining(time.substring(0, 6));
      assertThat(TestLog.contents(store)).isEmpty();
    }
  }

  @Test
  void invalidTime_keepsOtherAppendsOfGroup() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        HeldBack heldBack = HeldBack.in(directory)) {
      List<HeldBack.Append> group =
          heldBack.asOneGroup(
              store,
              List.of(
                  TestLog.batch(TestLog.TOPIC, "before"),
                  imported(Instant.MAX, "when?"),
                  TestLog.batch(TestLog.TOPIC, "after")));
      heldBack.letGo();

      assertThat(group.get(0).newFrames()).isEqualTo(1);
      assertThat(group.get(1).failure()).isEqualTo(RalphException.Code.INVALID);
      assertThat(group.get(2).newFrames()).isEqualTo(1);
      assertThat(ofTopic(store)).containsExactly("before", "after");
    }
  }

  @Test
  void frameImportedTwiceInGroup_isStoredOnce() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        HeldBack heldBack = HeldBack.in(directory)) {
      List<HeldBack.Append> group =
          heldBack.asOneGroup(
              store,
              List.of(
                  imported(Instant.EPOCH, "the first"),
                  TestLog.batch(TestLog.TOPIC, "between"),
                  imported(Instant.EPOCH, "the second"),
                  imported(Instant.EPOCH, "the third")));
      heldBack.letGo();

      assertThat(group).extracting(HeldBack.Append::newFrames).containsExactly(1, 1, 0, 0);
      assertThat(ofTopic(store)).containsExactly("the first", "between");
    }
  }

  @Test
  void concurrentImports_storeFrameOnce() throws Exception {
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory);
        HeldBack heldBack = HeldBack.in(directory)) {
      HeldBack.Append first = heldBack.alone(one, imported(Instant.EPOCH, "the same"));
      HeldBack.Append second = heldBack.alone(two, imported(Instant.EPOCH, "the same"));
      heldBack.letGo();

      assertThat(first.newFrames() + second.newFrames()).isEqualTo(1);
      assertThat(ofTopic(one)).containsExactly("the same");
      assertThat(ofTopic(two)).containsExactly("the same");
    }
  }

  private static List<String> ofTopic(FrameStore store) {
    return TestLog.contents(store, Query.of(TopicFilter.of(TestLog.TOPIC)));
  }

  private static Batch imported(Instant time, String content) {
    return Batch.of(
        UUID.randomUUID().toString(),
        List.of(Draft.imported(ID, time, TestLog.TOPIC, Meta.empty(), content)));
  }
}
