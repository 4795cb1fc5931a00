package dev.ralph.web.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The figures about records that a restarted server restores without reading the records again. */
class RecordTallyTest {

  private static final Topic RECORD = Topic.of("ralph.auth.record");

  private final Ralph ralph = Ralph.inMemory();
  private final Fold.Codec<RecordTally> codec = RecordTally.FOLD.codec().orElseThrow();
  private RecordTally state = RecordTally.FOLD.initial();

  @AfterEach
  void close() {
    ralph.close();
  }

  private void record(int iteration, RecordEntry... entries) {
    StringBuilder lines = new StringBuilder();
    for (RecordEntry entry : entries) {
      lines.append(entry.json().json()).append('\n');
    }
    append(Meta.of("iteration", iteration), lines.toString());
  }

  private void append(Meta meta, String content) {
    Frame frame = ralph.append(RECORD, meta, content);
    state = RecordTally.FOLD.apply(state, frame);
  }

  private void fill() {
    Meta begin = Meta.of("iteration", 1).with("type", "begin").with("folder", "/src");
    append(
        begin.with("commit", "abc").with("budget", Meta.of("max_cost_usd", 5)), "Do what is to do");
    record(
        1,
        RecordEntry.client("Claude Code", "2", "opus", List.of(), null),
        RecordEntry.used("opus", Usage.of(10, 2, new BigDecimal("0.25"))),
        RecordEntry.used("haiku", Usage.of(7, 1, null)),
        RecordEntry.gate("mvn verify", false, 1, "red"),
        RecordEntry.gate("mvn verify", false, null, "red again"),
        RecordEntry.gate("true", true, 0, ""));
    record(
        2,
        RecordEntry.text("I look at it"),
        RecordEntry.toolCall("c1", "Bash", "{\"command\":\"make\"}"),
        RecordEntry.toolCall("c2", "Read", "{}"));
  }

  @Test
  void snapshot_restoresWholeTally() {
    fill();

    RecordTally again = codec.decode(codec.encode(state));

    assertThat(RecordTally.FOLD.result(again)).isEqualTo(RecordTally.FOLD.result(state));
    assertThat(RecordTally.FOLD.result(again).origin(1).models()).hasSize(2);
    assertThat(RecordTally.FOLD.result(again).gates().get("mvn verify"))
        .satisfies(gate -> assertThat(gate.failures()).isEqualTo(2));

    RecordTally other = state;
    state = again;
    record(2, RecordEntry.toolResult("c1", false, "done"));
    assertThat(RecordTally.FOLD.result(state).calls().get(2)).containsOnlyKeys("c2");
    assertThat(RecordTally.FOLD.result(other).calls().get(2)).hasSize(2);
  }

  @Test
  void truncatedSnapshot_isRejected() {
    fill();
    byte[] whole = codec.encode(state);

    for (int length = 0; length < whole.length; length += 7) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> codec.decode(cut)).isInstanceOf(RuntimeException.class);
    }
  }
}
