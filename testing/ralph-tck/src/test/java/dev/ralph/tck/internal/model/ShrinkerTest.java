package dev.ralph.tck.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {

  @Test
  void list_isShrunkToRelevantItems() {
    List<Integer> numbers = IntStream.range(0, 500).boxed().toList();
    Shrinker<Integer> shrinker =
        new Shrinker<>(
            list -> list.contains(77) && list.stream().anyMatch(n -> n > 400),
            n -> n > 401 ? List.of(401, n - 1) : List.of(),
            TimeLimit.in(Duration.ofSeconds(30)));
    assertThat(shrinker.shrink(numbers)).containsExactly(77, 401);
  }
}
