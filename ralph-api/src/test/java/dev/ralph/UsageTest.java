package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class UsageTest {

  @Test
  void aSumBeyondTheRangeIsTheMostThereCanBe() {
    Usage most = Usage.of(Long.MAX_VALUE, Long.MAX_VALUE - 1, BigDecimal.ONE);
    Usage sum = most.plus(Usage.of(1, 1, BigDecimal.ONE)).plus(most);
    assertThat(sum).isEqualTo(Usage.of(Long.MAX_VALUE, Long.MAX_VALUE, BigDecimal.valueOf(3)));
  }
}
