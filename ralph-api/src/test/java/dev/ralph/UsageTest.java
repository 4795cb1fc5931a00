package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

  private static final Usage TOKENS = Usage.of(3, 4, null);

  @Test
  void sumBeyondRange_isCapped() {
    Usage most = Usage.of(Long.MAX_VALUE, Long.MAX_VALUE - 1, BigDecimal.ONE);
    Usage sum = most.plus(Usage.of(1, 1, BigDecimal.ONE)).plus(most);
    assertThat(sum).isEqualTo(Usage.of(Long.MAX_VALUE, Long.MAX_VALUE, BigDecimal.valueOf(3)));
    assertThat(sum.totalTokens()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void unknownCost_isAbsent() {
    assertThat(TOKENS.costUsd()).isNull();
    assertThat(TOKENS.json().json()).isEqualTo("{\"input_tokens\":3,\"output_tokens\":4}");
    assertThat(TOKENS).hasToString("3 tokens in, 4 out");
    assertThat(Usage.of(3, 4, BigDecimal.ZERO)).isEqualTo(TOKENS);
  }

  @Test
  void sumWithUnknownCost_keepsKnownCost() {
    Usage known = Usage.of(1, 1, new BigDecimal("0.5"));
    assertThat(known.plus(TOKENS).costUsd()).isEqualByComparingTo("0.5");
    assertThat(TOKENS.plus(known).costUsd()).isEqualByComparingTo("0.5");
    assertThat(TOKENS.plus(TOKENS).costUsd()).isNull();
  }

  @Test
  void cachedTokens_areSeparateAndSummed() {
    Usage cached = TOKENS.withCachedTokens(20);
    assertThat(cached.inputTokens()).isEqualTo(3);
    assertThat(cached.plus(cached).cachedTokens()).isEqualTo(40);
    assertThat(cached.totalTokens()).isEqualTo(27);
    assertThat(cached).isNotEqualTo(TOKENS).hasToString("3 tokens in, 20 cached, 4 out");
  }

  @Test
  void usage_survivesJsonRoundTrip() {
    Usage usage = Usage.of(3, 4, new BigDecimal("0.50")).withCachedTokens(20);
    assertThat(usage.json().json())
        .isEqualTo(
            "{\"input_tokens\":3,\"cached_tokens\":20,\"output_tokens\":4,\"cost_usd\":0.50}");
    assertThat(Usage.of(usage.json())).isEqualTo(usage);
    assertThat(Usage.of(TOKENS.json())).isEqualTo(TOKENS);
  }

  @Test
  void unknownUsage_isNotZero() {
    assertThat(Usage.UNKNOWN).hasToString("unknown").isNotEqualTo(Usage.NONE);
    assertThat(Usage.UNKNOWN.json().json()).isEqualTo("{\"partial\":true}");
    assertThat(Usage.of(Usage.UNKNOWN.json())).isEqualTo(Usage.UNKNOWN);
    assertThat(Usage.NONE.plus(Usage.UNKNOWN)).isEqualTo(Usage.UNKNOWN);
  }

  @Test
  void sumWithUnknownPart_isPartial() {
    Usage priced = Usage.of(1, 1, new BigDecimal("0.5"));
    assertThat(TOKENS.plus(Usage.UNKNOWN)).hasToString("at least 3 tokens in, 4 out");
    assertThat(priced.plus(TOKENS)).hasToString("at least 4 tokens in, 5 out, $0.50");
    assertThat(TOKENS.plus(priced).isPartial()).isTrue();
    assertThat(TOKENS.plus(TOKENS).isPartial()).isFalse();
    assertThat(priced.plus(priced).plus(Usage.NONE).isPartial()).isFalse();
  }

  @Test
  void estimate_makesSumAnEstimate() {
    Usage about = Usage.of(3, 4, new BigDecimal("0.5")).asEstimate();
    assertThat(about).hasToString("3 tokens in, 4 out, about $0.50");
    assertThat(about.json().json())
        .isEqualTo("{\"input_tokens\":3,\"output_tokens\":4,\"cost_usd\":0.5,\"estimated\":true}");
    assertThat(Usage.of(about.json())).isEqualTo(about);
    assertThat(Usage.of(1, 1, BigDecimal.ONE).plus(about).isEstimated()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"input_tokens\":-5,\"cached_tokens\":-1,\"output_tokens\":\"x\",\"cost_usd\":-1}",
        "{\"cost_usd\":1e999999999}",
        "{\"cost_usd\":1e-2147483647}"
      })
  void invalidJson_isUnknownUsage(String json) {
    assertThat(Usage.of(Meta.parse(json))).isEqualTo(Usage.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "0, $0.00",
    "5, $5.00",
    "0.01, $0.01",
    "1.005, $1.01",
    "0.114999, $0.11",
    "0.00994, $0.0099",
    "0.00001234, $0.000012",
    "0.002, $0.002",
    "1234567.891, $1234567.89"
  })
  void dollars_areRounded(BigDecimal usd, String shown) {
    assertThat(Usage.dollars(usd)).isEqualTo(shown);
  }
}
