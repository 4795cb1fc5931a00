package dev.ralph.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AgentLinesTest {

  private final AgentLines lines = new AgentLines();

  private void prints(int iteration, String text, boolean continues) {
    Meta meta = Meta.of("iteration", iteration).with("continues", continues ? true : null);
    try (Ralph memory = Ralph.inMemory()) {
      Draft draft = Draft.of(Topic.of("ralph.a.output"), meta, text);
      Frame frame =
          memory
              .log()
              .append(Batch.of(UUID.randomUUID().toString(), List.of(draft)))
              .frames()
              .get(0);
      lines.add(frame);
    }
  }

  @Test
  void pieces_becomeLines() {
    prints(1, "one\ntwo", false);
    prints(1, "thr", true);
    assertThat(lines.last(9)).containsExactly("one", "two", "thr");
    prints(1, "ee\n\nfive", false);
    assertThat(lines.last(9)).containsExactly("one", "two", "three", "", "five");
    assertThat(lines.last(2)).containsExactly("", "five");
    assertThat(lines.last(0)).isEmpty();
  }

  @Test
  void newIteration_clearsLines() {
    prints(1, "one", false);
    prints(2, "two", false);
    assertThat(lines.last(9)).containsExactly("two");
    lines.begin(3, 0);
    assertThat(lines.last(9)).isEmpty();
  }

  @Test
  void controlSequences_areRemovedOrEscaped() {
    prints(1, "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001b]8;;u\u001b\\y", false);
    prints(1, "10%\r50%\r100%\r", false);
    prints(1, "a\tb", false);
    prints(1, "\u001bc\u0007\u009b2J\u202e \u001b[", false);
    prints(1, "\r", false);
    assertThat(lines.last(9))
        .containsExactly(
            "red xy", "100%", "a    b", "\\u001bc\\u0007\\u009b2J\\u202e \\u001b[", "");
  }

  @Test
  void hugeOutput_keepsFewLines() {
    for (int i = 0; i < 1_000; i++) {
      prints(1, "\ud83d\ude00".repeat(5_000), true);
    }
    prints(1, "end\n" + "x\n".repeat(5_000) + "last", false);
    assertThat(lines.last(10_000)).hasSize(200).endsWith("x", "last");
    prints(1, "\ud83d\ude00".repeat(5_000), false);
    assertThat(lines.last(1).get(0)).hasSizeLessThan(4_001).doesNotContain("\\u");
  }

  @Test
  void linesOfSeveralWorkers_haveTheirNumber() {
    prints(1, "alone", false);
    lines.begin(2, 1);
    lines.begin(3, 2);
    prints(2, "one ", true);
    prints(3, "two", false);
    prints(2, "more", false);
    prints(3, "not ended", true);
    assertThat(lines.last(9)).containsExactly("2| two", "1| one more", "2| not ended");
    lines.begin(4, 2);
    prints(4, "three", false);
    assertThat(lines.last(9)).containsExactly("2| two", "1| one more", "2| three");
    lines.begin(5, 0);
    assertThat(lines.last(9)).isEmpty();
  }
}
