package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PricesTest {

  private static final Tokens MILLIONS = new Tokens(1_000_000, 2_000_000, 4_000_000, 8_000_000);

  @TempDir Path folder;

  private Prices read(String table) throws Exception {
    return Prices.read(Files.writeString(folder.resolve("prices"), table));
  }

  @Test
  void eachTokenKind_hasOwnPrice() throws Exception {
    assertThat(read("# mine\n\na 1 0.1 10 0.01 # dear\n").cost("a", MILLIONS))
        .isEqualByComparingTo("41.28");
  }

  @ParameterizedTest
  @CsvSource({
    "claude-sonnet-4-5, 3",
    "claude-sonnet-4-5-20250929, 3",
    "claude-sonnet-4-5[1m], 3",
    "claude-sonnet-4-5@20250929, 3",
    "claude-opus-5, 5",
    "claude-opus-5-5, 4",
  })
  void modelName_matchesDatesAndVariantsOnly(String model, BigDecimal input) {
    assertThat(Prices.builtIn().cost(model, new Tokens(1_000_000, 0, 0, 0)))
        .isEqualByComparingTo(input);
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-55", "claude-opus-5-6", "my-claude-opus-5", "", "gpt-5"})
  void unknownModel_hasNoPrice(String model) {
    assertThat(Prices.builtIn().cost(model, MILLIONS)).isNull();
    assertThat(Prices.builtIn().cost(null, MILLIONS)).isNull();
  }

  @Test
  void ownTable_overridesBuiltInPrices() throws Exception {
    Prices own = read("\ufeffclaude-opus-5 1 1 1 1\r\nclaude-* 2 2 2 2\n");

    Tokens million = new Tokens(1_000_000, 0, 0, 0);
    assertThat(own.cost("claude-opus-5", million)).isEqualByComparingTo("1");
    assertThat(own.cost("claude-anything", million)).isEqualByComparingTo("2");
    assertThat(read("x 1 1 1 1").cost("claude-opus-5", million)).isEqualByComparingTo("5");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a 1 2 3",
        "a 1 2 3 4 5",
        "a 1 2 3 -4",
        "a 1 2 3 1e9",
        "a 1 2 3 $4",
        "a 1,5 2 3 4"
      })
  void invalidLine_isNamed(String line) {
    assertThatThrownBy(() -> read("# prices\n" + line + "\n"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("prices:2: ")
        .hasMessageContaining("such as 'claude-sonnet-4-5 3 0.3 3.75 15'");
  }

  @Test
  void unreadableTable_isRejected() throws Exception {
    assertThatThrownBy(() -> Prices.read(folder.resolve("none")))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> Prices.read(folder)).hasMessageContaining("not a readable table file");
    assertThatThrownBy(() -> Prices.read(Path.of("/dev/zero")))
        .hasMessageContaining("not a readable table file");
  }
}
