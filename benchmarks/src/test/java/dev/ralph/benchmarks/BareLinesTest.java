package dev.ralph.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BareLinesTest {

  @Test
  void baselines_writeEqualLines() throws IOException {
    String byHand = lines(BareLines.byHand("ralph.session-0.task"));

    assertThat(byHand).isEqualTo(lines(BareLines.byJackson("ralph.session-0.task")));
    assertThat(byHand.lines().count()).isEqualTo(3);
  }

  private static String lines(BareLines lines) throws IOException {
    lines.add(1, 1, 1);
    lines.clear();
    lines.add(9, 1, 1);
    lines.add(10, 1, 2);
    lines.add(1_234_567, 2, 2);
    return StandardCharsets.UTF_8.decode(lines.bytes()).toString();
  }
}
