package dev.ralph.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextWidthTest {

  @ParameterizedTest
  @CsvSource({
    "'',0",
    "abc,3",
    "äöü,3",
    "e\u0301,1",
    "日本語,6",
    "한국,4",
    "ｆｕｌｌ,8",
    "\uD83D\uDE00,2",
    "→x,2",
    "\u200B,0"
  })
  void width_countsTerminalColumns(String text, int columns) {
    assertThat(TextWidth.of(text)).isEqualTo(columns);
  }

  @ParameterizedTest
  @CsvSource({
    "abcdef,6,abcdef",
    "abcdef,5,abcd…",
    "abcdef,1,…",
    "abcdef,0,''",
    "日本語,6,日本語",
    "日本語,5,日本…",
    "日本語,4,日…",
    "日本語,2,…",
    "e\u0301e\u0301e\u0301,2,e\u0301…",
    "a\uD83D\uDE00b,3,a…",
    "a\uD83D\uDE00b,4,a\uD83D\uDE00b",
  })
  void cut_keepsWholeCharacters(String text, int most, String shown) {
    assertThat(TextWidth.cut(text, most)).isEqualTo(shown);
  }

  @Test
  void cutText_fitsWithoutBrokenCharacters() {
    String text =
        "a\u0301日\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67x\u2764\uFE0F→".repeat(3);
    for (int most = 0; most < TextWidth.of(text) + 2; most++) {
      String cut = TextWidth.cut(text, most);
      assertThat(TextWidth.of(cut)).isLessThanOrEqualTo(most);
      assertThat(SafeText.line(cut)).isEqualTo(cut); // no unpaired surrogate
    }
  }

  @Test
  void longLine_wrapsBetweenCharacters() {
    assertThat(TextWidth.wrap("", 3)).containsExactly("");
    assertThat(TextWidth.wrap("abc", 3)).containsExactly("abc");
    assertThat(TextWidth.wrap("abcdefg", 3)).containsExactly("abc", "def", "g");
    assertThat(TextWidth.wrap("a\u65e5\u672cb", 2)).containsExactly("a", "\u65e5", "\u672c", "b");
    assertThat(TextWidth.wrap("\ud83d\ude00\ud83d\ude00", 1))
        .containsExactly("\ud83d\ude00", "\ud83d\ude00");
    assertThat(TextWidth.wrap("ae\u0301x", 2)).containsExactly("ae\u0301", "x");
  }
}
