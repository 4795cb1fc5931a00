package dev.ralph.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The parsing of check list items and their details. */
class CheckListTest {

  /**
   * Parses a check list and renders its items as {@code text(details)}, with a plus sign for ticked
   * items.
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
  void everyListMarker_startsAnItem() {
    assertThat(read("- [ ] a", "* [x] b", "+ [X] c", "1. [ ] d", "12) [ ] e", "-   [ ]   f g  "))
        .isEqualTo("a, +b, +c, d, e, f g");
    assertThat(read("-\t[ ]\ta", "1.\t[x] b")).isEqualTo("a, +b");
  }

  @Test
  void ordinaryText_isNoItem() {
    assertThat(
            read(
                "# Title [ ]", "", "Text", "- plain", "-[ ] a", "- [] b", "- [ ]", "- [-] c", "- "))
        .isEmpty();
    assertThat(read("```", "- [ ] code", "```", "- [ ] a", "~~~", "- [ ] code", "~~~"))
        .isEqualTo("a");
    assertThat(read("````", "```", "- [ ] code", "```", "- [ ] code", "````", "- [ ] a"))
        .isEqualTo("a");
    assertThat(read("~~~", "~~~ text", "- [ ] code", "~~~~", "- [ ] a")).isEqualTo("a");
    assertThat(read("")).isEmpty();
  }

  @Test
  void item_hasPlaceOfBox() {
    CheckList list =
        CheckList.parse("---\na: b\n---\r\n  1. [ ] one\n<!-- [ ] --> - [x] two\n+  [x] three");
    assertThat(list.items())
        .extracting(CheckList.Item::line, CheckList.Item::mark)
        .containsExactly(tuple(4, 6), tuple(5, -1), tuple(6, 4));
  }

  @Test
  void malformedItem_isReported() {
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
  void malformedItem_isNotJoinedToItemBefore() {
    assertThat(read("- [ ] a", "- [] b", "more of b", "- [ ] c")).isEqualTo("a, c");
    assertThat(read("- [ ] a", "-[ ] b", "", "  more")).isEqualTo("a");
    assertThat(read("- [ ] a", "  - [ ]b", "  more of a", "- [ ] c")).isEqualTo("a/more of a, c");
  }

  @Test
  void items_nestByIndentation() {
    assertThat(read("- [ ] a", "  - [ ] b", "    - [x] c", "  - [ ] d", "- [ ] e"))
        .isEqualTo("a(b(+c), d), e");
    assertThat(read("1. [ ] a", "\t- [ ] b", "2. [ ] c")).isEqualTo("a(b), c");
    assertThat(read("- Group", "  - [ ] a", "  - [ ] b")).isEqualTo("a, b");
    assertThat(read("- [ ] a", "", "  - [ ] b", "", "# Next", "  - [ ] c")).isEqualTo("a(b), c");
  }

  @Test
  void item_keepsContinuationLines() {
    assertThat(read("- [ ] a", "  more", "", "  a paragraph", "", "not this"))
        .isEqualTo("a/more//a paragraph");
    assertThat(read("- [ ] a", "lazy")).isEqualTo("a/lazy");
    assertThat(read("- [ ] a", "  - plain", "  - [ ] b", "- [ ] c")).isEqualTo("a/- plain(b), c");
    assertThat(read("- [ ] a", "  ```", "  - [ ] code", "  ```", "- [ ] b"))
        .isEqualTo("a/  ```/  - [ ] code/  ```, b");
    assertThat(read("- [ ] a\r", "  b\r", "")).isEqualTo("a/b");
  }

  @Test
  void comments_holdNoItems() {
    assertThat(read("<!--", "- [ ] hidden", "", "- [ ] hidden", "-->", "- [ ] a")).isEqualTo("a");
    assertThat(read("<!-- - [ ] hidden -->", "- [ ] a <!-- note --> b", "- [ ] <!-- c -->"))
        .isEqualTo("a  b");
    assertThat(read("- [ ] a", "  <!-- - [ ] hidden", "  - [ ] hidden --> more", "- [ ] b"))
        .isEqualTo("a/more, b");
    assertThat(read("- [ ] a <!-- one", "  two --> three", "- [ ] b")).isEqualTo("a/three, b");
    assertThat(read("- [ ] a", "<!-- never closed", "- [ ] hidden")).isEqualTo("a");
    assertThat(read("<!-->- [ ] x", "-->", "- [ ] b")).isEqualTo("b");
  }

  @Test
  void textLikeComments_isKept() {
    assertThat(read("- [ ] drop the `<!--` mark", "- [ ] b -->", "- [ ] c <!-- open"))
        .isEqualTo("drop the `<!--` mark, b -->, c <!-- open");
    assertThat(read("- [ ] a", "  ```html", "  <!--", "  ```", "- [ ] b"))
        .isEqualTo("a/  ```html/  <!--/  ```, b");
  }

  @Test
  void frontMatter_holdsNoItems() {
    assertThat(read("---", "todo: |", "  - [ ] hidden", "---", "- [ ] a")).isEqualTo("a");
    assertThat(read("---", "- [ ] hidden", "...", "- [ ] a", "", "---", "- [ ] b"))
        .isEqualTo("a, b");
    assertThat(read("---", "- [ ] a")).as("front matter without an end").isEqualTo("a");
    assertThat(read("", "---", "- [ ] a", "---")).isEqualTo("a/---");
    assertThat(CheckList.parse("---\na: b\n---\n-[ ] a").doubtful()).containsExactly(4);
  }

  @Test
  void optionalItem_isSkippedWithItsDetails() {
    assertThat(
            read(
                "- [ ] 2. a",
                "  - [ ] 2.1 b",
                "  - [ ]* 2.2 Write tests",
                "    - details of the tests",
                "    - [ ] part of the tests",
                "    _Requirements: 1.2_",
                "",
                "    a paragraph",
                "  - [ ] 2.3 c",
                "- [x]* 3. d",
                "- [ ] 4. e"))
        .isEqualTo("2. a(2.1 b, 2.3 c), 4. e");
    assertThat(CheckList.parse("- [ ]* 2.2 optional").doubtful()).isEmpty();
  }

  @Test
  void items_knowTheirHeadingsAndStory() {
    CheckList list =
        CheckList.parse(
            """
            # PRD
            ## User stories
            ### US-001: Add a field ##
            **Acceptance criteria:**
            - [ ] a
              - [ ] b
            ### Notes
            - [ ] c
            ```
            ### US-003: code
            ```
            #### User Story 2 - Filter (Priority: P1)
            ##### Steps
            - [ ] d
            """);

    assertThat(list.items().stream().map(CheckList.Item::story))
        .containsExactly("US-001: Add a field", null, "User Story 2 - Filter (Priority: P1)");
    assertThat(list.items().get(0).below().get(0).story()).isEqualTo("US-001: Add a field");
    assertThat(list.items().get(1).headings()).containsExactly("PRD", "User stories", "Notes");
  }
}
