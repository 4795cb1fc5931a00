package dev.ralph.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is an item of a check list, and what belongs to it. */
class CheckListTest {

  /**
   * Writes items so that a test can show them: {@code text(below, below)}, ticked ones with a +.
   */
  private static String read(String... lines) {
    return shown(CheckList.parse(String.join("\n", lines)).items());
  }

  private static String shown(List<CheckList.Item> items) {
    StringBuilder text = new StringBuilder();
    for (CheckList.Item item : items) {
      text.append(text.length() == 0 ? "" : ", ");
      text.append(item.isDone() ? "+" : "").append(item.text().replace("\n", "/"));
      text.append(item.below().isEmpty() ? "" : "(" + shown(item.below()) + ")");
    }
    return text.toString();
  }

  @Test
  void everyMarkOfAListCounts() {
    assertThat(read("- [ ] a", "* [x] b", "+ [X] c", "1. [ ] d", "12) [ ] e", "-   [ ]   f g  "))
        .isEqualTo("a, +b, +c, d, e, f g");
  }

  @Test
  void whatIsNoItemIsLetPass() {
    assertThat(
            read(
                "# Title [ ]", "", "Text", "- plain", "-[ ] a", "- [] b", "- [ ]", "- [-] c", "- "))
        .isEmpty();
    assertThat(read("```", "- [ ] code", "```", "- [ ] a", "~~~", "- [ ] code", "~~~"))
        .isEqualTo("a");
    assertThat(read("")).isEmpty();
  }

  @Test
  void whatMayHaveBeenMeantAsAnItemIsNoted() {
    String text =
        String.join(
            "\n",
            "- [ ] a",
            "- [] b",
            "-[ ] c",
            "- [ ]d",
            "> - [ ] e",
            "3. [-] f",
            "- [1](page) g",
            "- [ ]",
            "a [ ] h",
            "```",
            "-[ ] code",
            "```");
    assertThat(CheckList.parse(text).doubtful()).containsExactly(2, 3, 4, 5, 6);
  }

  @Test
  void aMalformedItemIsNoPartOfTheOneBeforeIt() {
    assertThat(read("- [ ] a", "- [] b", "more of b", "- [ ] c")).isEqualTo("a, c");
    assertThat(read("- [ ] a", "-[ ] b", "", "  more")).isEqualTo("a");
    assertThat(read("- [ ] a", "  - [ ]b", "  more of a", "- [ ] c")).isEqualTo("a/more of a, c");
  }

  @Test
  void itemsStandBelowOthers() {
    assertThat(read("- [ ] a", "  - [ ] b", "    - [x] c", "  - [ ] d", "- [ ] e"))
        .isEqualTo("a(b(+c), d), e");
    assertThat(read("1. [ ] a", "\t- [ ] b", "2. [ ] c")).isEqualTo("a(b), c");
    assertThat(read("- Group", "  - [ ] a", "  - [ ] b")).isEqualTo("a, b");
    assertThat(read("- [ ] a", "", "  - [ ] b", "", "# Next", "  - [ ] c")).isEqualTo("a(b), c");
  }

  @Test
  void anItemKeepsTheLinesThatBelongToIt() {
    assertThat(read("- [ ] a", "  more", "", "  a paragraph", "", "not this"))
        .isEqualTo("a/more//a paragraph");
    assertThat(read("- [ ] a", "lazy")).isEqualTo("a/lazy");
    assertThat(read("- [ ] a", "  - plain", "  - [ ] b", "- [ ] c")).isEqualTo("a/- plain(b), c");
    assertThat(read("- [ ] a", "  ```", "  - [ ] code", "  ```", "- [ ] b"))
        .isEqualTo("a/  ```/  - [ ] code/  ```, b");
    assertThat(read("- [ ] a\r", "  b\r", "")).isEqualTo("a/b");
  }
}
