package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Topic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionNamingTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "main                | shop      | shop",
        "master              | shop      | shop",
        "trunk               | My Shop   | my-shop",
        "develop             | shop.git  | shop-git",
        "-                   | shop      | shop",
        "-                   | my_shop   | my_shop",
        "feature/dark-mode   | shop      | feature-dark-mode",
        "Fix/ISSUE_12        | shop      | fix-issue_12",
        "maintenance         | shop      | maintenance",
        "ralph/auth          | shop      | auth",
        "ralph/auth.t3       | shop      | auth",
        "ralph/Auth_2        | shop      | Auth_2",
        "café                | shop      | cafe",
        "--force             | shop      | force",
        "a..b                | shop      | a-b",
        "a;rm -rf *          | shop      | a-rm-rf",
      })
  void name_comesFromBranchOrFolder(String branch, String folder, String name) {
    String given = SessionNaming.of(branch, folder);

    assertThat(given).isEqualTo(name);
    assertThat(given).matches("[A-Za-z0-9_][A-Za-z0-9_-]*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "...",
        "-",
        "日本語",
        "\u001b[31m",
        "ß",
        "\ud83d\ude00",
        "a\u0000b",
        "x.lock"
      })
  void name_isAlwaysValid(String text) {
    for (String name :
        new String[] {SessionNaming.of(null, text), SessionNaming.of("x/" + text, "shop")}) {
      assertThat(Topic.isSegment(name)).as(name).isTrue();
      assertThat(name).doesNotStartWith("-");
    }
  }

  @Test
  void lostLetters_keepNamesDifferent() {
    assertThat(SessionNaming.of("日本", "")).startsWith("session-");
    assertThat(SessionNaming.of("日本", "")).isNotEqualTo(SessionNaming.of("日本語", ""));
    assertThat(SessionNaming.of("日本", "")).isEqualTo(SessionNaming.of("日本", "other"));
  }

  @Test
  void longNames_keepDifferentEnds() {
    String begin = "feature/" + "very-long-".repeat(10);
    String one = SessionNaming.of(begin + "1", "");
    String two = SessionNaming.of(begin + "2", "");

    assertThat(one).isNotEqualTo(two).hasSizeLessThanOrEqualTo(47).startsWith("feature-very-long");
  }

  @Test
  void composedAndDecomposedText_giveSameName() {
    assertThat(SessionNaming.of(null, "ba\u0301r \u00df"))
        .isEqualTo(SessionNaming.of(null, "b\u00e1r \u00df"));
  }
}
