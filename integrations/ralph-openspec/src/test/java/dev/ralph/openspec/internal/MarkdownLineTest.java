package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkdownLineTest {

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "# a,1",
        "###### a,6",
        "####### a,0",
        " # a,1",
        "   # a,1",
        "    # a,0",
        "\t# a,0",
        "#,1",
        "  ##,2",
        "#a,0",
        "##\ta,2",
        "a # b,0",
        "'',0",
        "'   ',0",
      })
  void heading_hasAtMostSixMarks(String line, int level) {
    assertThat(MarkdownLine.headingLevel(line)).isEqualTo(level);
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "## a,a",
        "  ##  a b  ,a b",
        "## a ##,a",
        "## a\t#,a",
        "## a#,a#",
        "## a # b,a # b",
        "## #,''",
        "##,''",
        "## # #,#",
        "## a\u00a0#,a\u00a0#",
      })
  void headingText_excludesMarks(String line, String text) {
    assertThat(MarkdownLine.headingText(line)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "- a,1",
        "*a,1",
        "  +,3",
        "1. a,2",
        "0) a,2",
        "9.,2",
        "\t123456789.,11",
        "1234567890.,-1",
        "12,-1",
        "12 .,-1",
        ". a,-1",
        "a. b,-1",
        "/. a,-1",
        ":. a,-1",
        "'',-1",
        "'  ',-1",
      })
  void item_startsWithBulletOrDigits(String line, int behind) {
    assertThat(MarkdownLine.afterBullet(line)).isEqualTo(behind);
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "```,```",
        "  ~~~~ java,~~~~",
        "``,''",
        "a ```,''",
        "    ``a,''",
        "``~,''",
        "---,''",
        "'',''",
      })
  void fence_hasThreeOrMoreMarks(String line, String fence) {
    assertThat(MarkdownLine.fence(line)).isEqualTo(fence);
  }

  @Test
  void whiteSpace_matchesJavaScript() {
    String spaces =
        "\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
            + "\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
    StringBuilder found = new StringBuilder();
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      if (MarkdownLine.isSpace((char) c)) {
        found.append((char) c);
      }
    }
    assertThat(found).hasToString(spaces);
    assertThat(MarkdownLine.isBlank(spaces)).isTrue();
    assertThat(MarkdownLine.strip(spaces + "a\u0000b" + spaces)).isEqualTo("a\u0000b");
  }
}
