package dev.ralph.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangeTest {

  @Test
  void fewerFramesPerSecond_areSlower() {
    Change change = new Change("append", "frames/s", true);
    for (double noise : new double[] {0.9, 1, 1.1}) {
      change.take(Measured.of(100 * noise), Measured.of(90 * noise));
    }

    assertThat(change.isSlower()).isTrue();
    assertThat(change.isFaster()).isFalse();
  }

  @Test
  void lessTime_isFaster() {
    Change change = new Change("open", "ms", true);
    change.take(Measured.of(100), Measured.of(90));

    assertThat(change.isFaster()).isTrue();
    assertThat(change.isSlower()).isFalse();
  }

  @Test
  void cpuTime_takesPrecedenceOverElapsedTime() {
    Change change = new Change("append", "frames/s", true);
    change.take(Measured.of(100).withCpu(2), Measured.of(50).withCpu(2));

    assertThat(change.isSlower()).as("other programs used the CPU").isFalse();
  }

  @Test
  void disagreeingRounds_areNotSlower() {
    Change change = new Change("open", "ms", true);
    for (double after : new double[] {80, 90, 104, 105, 106}) {
      change.take(Measured.of(100), Measured.of(after));
    }

    assertThat(change.isSlower()).isFalse();
  }

  @Test
  void baseline_isNeverSlower() {
    Change change = new Change("append, baseline", "frames/s", false);
    change.take(Measured.of(100), Measured.of(50));

    assertThat(change.isSlower()).isFalse();
  }
}
