package dev.ralph.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ralph.core.internal.text.CommandLineWords;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parsing of typed texts, and the formatting of output. */
class TextTest {

  @ParameterizedTest
  @CsvSource({"500ms,500", "30s,30000", "10m,600000", "2h,7200000", "1h30m,5400000", "1d,86400000"})
  void duration_isParsedFromNumberAndUnit(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "m", "0s", "-5s", "5 s", "5x", "1.5h", "99999999999h", "5S", "s5", "٣s"})
  void invalidDuration_isNull(String text) {
    assertThat(Durations.parse(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"0,0.0s", "450,0.4s", "12345,12.3s", "65000,1m05s", "7380000,2h03m"})
  void duration_isFormattedShort(long millis, String text) {
    assertThat(Durations.format(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void words_areSplitLikeShell() {
    assertThat(CommandLineWords.split("  a 'b c'  \"d \\\"e\\\" \\x\" f\\ g '' h\"i\"'j'\n"))
        .isEqualTo(List.of("a", "b c", "d \"e\" \\x", "f g", "", "hij"));
  }

  @Test
  void shellSyntax_isNotExpanded() {
    assertThat(CommandLineWords.split("$HOME `id` * ; a|b >c #d ~"))
        .containsExactly("$HOME", "`id`", "*", ";", "a|b", ">c", "#d", "~");
  }

  @Test
  void joinedWords_splitToOriginal() {
    List<String> words =
        List.of(
            "ralph", "-n", "a-b_c", "it's", "", "a b", "$HOME", "x;y", "\"q\"", "~", "ü/é", "\n");
    String line = CommandLineWords.join(words);
    assertThat(CommandLineWords.split(line)).isEqualTo(words);
    assertThat(line).startsWith("ralph -n a-b_c 'it'\\''s' '' 'a b' '$HOME' ");
  }

  @Test
  void printedText_showsFinalTerminalState() {
    assertThat(SafeText.printed("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\ty"))
        .isEqualTo("red x\ty");
    assertThat(SafeText.printed("10%\r50%\r100%\r")).isEqualTo("100%");
    assertThat(SafeText.printed("\r")).isEmpty();
    assertThat(SafeText.printed("\u001bc\u0007\u009b2J")).isEqualTo("\\u001bc\\u0007\\u009b2J");
  }

  @Test
  void times_useLocalZoneAndOmitToday() {
    ZoneId zone = ZoneId.of("+05:30");
    Instant now = Instant.parse("2026-01-31T20:00:00Z"); // February 1 in this zone
    Instant then = Instant.parse("2026-01-31T19:05:07.900Z");
    assertThat(Times.clock(then, now, zone)).isEqualTo("00:35");
    assertThat(Times.clock(then.minusSeconds(3600), now, zone)).isEqualTo("2026-01-31 23:35");
    assertThat(Times.local(then, zone)).isEqualTo("2026-02-01T00:35:07");
    assertThat(Times.withOffset(then, zone)).isEqualTo("2026-02-01T00:35:07+05:30");
    assertThat(Times.withOffset(then, ZoneOffset.UTC)).isEqualTo("2026-01-31T19:05:07Z");
    assertThat(Times.parse(Times.withOffset(then, zone), ZoneOffset.UTC))
        .isEqualTo(Instant.parse("2026-01-31T19:05:07Z"));
    assertThat(Times.parse("2026-02-01T00:35:07", zone))
        .as("output format is valid input")
        .isEqualTo(Instant.parse("2026-01-31T19:05:07Z"));
  }

  @ParameterizedTest
  @CsvSource({"-5,0s", "59,59s", "60,1m", "3599,59m", "3600,1h", "172799,47h", "172800,2 days"})
  void age_isRounded(long seconds, String text) {
    Instant now = Instant.parse("2026-01-31T20:00:00Z");
    assertThat(Times.ago(now.minusSeconds(seconds), now)).isEqualTo(text + " ago");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "a 'b", "a \"b", "a \"b\\\"", "a\\"})
  void incompleteLine_isRefused(String line) {
    assertThatIllegalArgumentException().isThrownBy(() -> CommandLineWords.split(line));
  }

  @Test
  void controlCharacters_areEscaped() {
    assertThat(SafeText.text("a\tb\nc\u001b[0m\u009b\u202e\u2028\r\nd\re\ud800"))
        .isEqualTo("a\tb\nc\\u001b[0m\\u009b\\u202e\\u2028\nd\\u000de\\ud800");
    assertThat(SafeText.line("a\tb\nc")).isEqualTo("a\\tb\\nc");
    assertThat(SafeText.text("plain ü 😀")).isEqualTo("plain ü 😀");
  }

  @Test
  void nearestWord_isSuggested() {
    List<String> words = List.of("tasks", "task add", "message", "status", "stop");
    assertThat(Suggestion.nearest("taks", words)).isEqualTo("tasks");
    assertThat(Suggestion.nearest("mesage", words)).isEqualTo("message");
    assertThat(Suggestion.nearest("stat", words)).isEqualTo("status");
    assertThat(Suggestion.nearest("frobnicate", words)).isNull();
    assertThat(Suggestion.nearest("x".repeat(1_000_000), words)).isNull();
  }

  @Test
  void instant_isFormattedAsIso() {
    assertThat(Times.format(Instant.parse("2026-01-02T03:04:05.006Z")))
        .isEqualTo("2026-01-02T03:04:05.006Z");
    assertThat(Times.format(Instant.EPOCH)).isEqualTo("1970-01-01T00:00:00.000Z");
  }

  @Test
  void instant_isParsedWithOrWithoutOffset() {
    ZoneId zone = ZoneOffset.ofHours(2);
    Instant noon = Instant.parse("2026-01-02T12:00:00Z");
    assertThat(Times.parse("2026-01-02T12:00:00Z", zone)).isEqualTo(noon);
    assertThat(Times.parse("2026-01-02T04:00:00-0800", zone)).isEqualTo(noon);
    assertThat(Times.parse("2026-01-02T04:00-08:00", zone)).isEqualTo(noon);
    assertThat(Times.parse("2026-01-02T14:00", zone)).isEqualTo(noon);
    assertThat(Times.parse("2026-01-02", zone)).isEqualTo(Instant.parse("2026-01-01T22:00:00Z"));
    assertThat(Times.parse("yesterday", zone)).isNull();
    assertThat(Times.parse("T-", zone)).isNull();
    assertThat(Times.parse("", zone)).isNull();
  }
}
