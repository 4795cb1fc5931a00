package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TxReaderTest {

  private static final Pattern HEADLINE = Pattern.compile("headline: .*");

  private static final String NAME = "1030100000-task-core--brain-t1.md";
  private static final String WHOLE =
      """
      ---
      to: brain/brain
      from: core/core
      type: task
      status: start
      requester: core/core
      msg-id: t1
      headline: Look
      timestamp: 2025-10-30T10:00:00Z
      %s
      ---

      Text
      """;

  private static TxFile read(String name, String text) {
    return new TxReader(ZoneId.of("Europe/Berlin")).read(name, text.getBytes(UTF_8));
  }

  private static TxFile withField(String field) {
    return read(NAME, String.format(WHOLE, field));
  }

  private static List<String> all(TxFile file) {
    return file.warnings();
  }

  // ---- values that TX writes without quotes

  @Test
  void headlineWithColon_isRead() {
    TxFile file = read(NAME, String.format(WHOLE, "").replace("Look", "Fix: it's the login"));

    assertThat(file.message().headline()).isEqualTo("Fix: it's the login");
    assertThat(all(file))
        .containsExactly(
            NAME
                + ":8:14: invalid YAML (mapping values are not allowed here); field texts were"
                + " read literally: put texts with ': ' in double quotes");
  }

  @Test
  void listNextToHeadlineWithColon_isRead() {
    TxFile file =
        read(
            NAME,
            String.format(WHOLE, "tags:\n  - one\n  - two\npriority: high")
                .replace("Look", "Fix: it"));

    assertThat(file.message().headline()).isEqualTo("Fix: it");
    assertThat(file.message().tags()).containsExactly("one", "two");
    assertThat(file.message().priority()).isEqualTo(Priority.HIGH);
  }

  @Test
  void yamlComment_isPointedOut() {
    TxFile file = read(NAME, String.format(WHOLE, "").replace("Look", "Fix #12"));

    assertThat(file.message().headline()).isEqualTo("Fix");
    assertThat(all(file))
        .containsExactly(
            NAME
                + ":8: text after '#' is read as a comment; put the headline in double quotes"
                + " to keep the text");
  }

  // ---- file names as hints

  @ParameterizedTest
  @CsvSource({
    "1030100000-task-complete-brain--core-x1.md, TASK_COMPLETE, brain/brain, core/core, x1",
    "1030100000-ask-response-brain--core-x1.md, ASK_RESPONSE, brain/brain, core/core, x1",
    "1030100000-task-a-b--c-x1.md, TASK, a-b/a-b, c/c, x1",
  })
  void typesWithHyphens_areReadFromName(
      String name, TxType type, String from, String to, String id) {
    TxMessage message = read(name, "---\n---\n").message();

    assertThat(message.type()).isEqualTo(type);
    assertThat(message.from()).hasToString(from);
    assertThat(message.to()).hasToString(to);
    assertThat(message.id()).isEqualTo(id);
  }

  @Test
  void ambiguousName_isNotGuessed() {
    TxFile file = read("1030100000-task-core--red-phase-abc123.md", "---\nstatus: start\n---\n");

    assertThat(file.message().to()).isNull();
    assertThat(file.message().id()).isNull();
    assertThat(file.id()).isEqualTo("sha256-" + file.sha256());
  }

  @Test
  void frontMatter_resolvesAmbiguousName() {
    String name = "1030100000-task-core--red-phase-abc123.md";

    assertThat(read(name, "---\nmsg-id: abc123\n---\n").message().to())
        .hasToString("red-phase/red-phase");
    assertThat(read(name, "---\nto: tdd-cycle-1/red-phase\n---\n").message().id())
        .isEqualTo("abc123");
    assertThat(read(name, "---\nto: red/red\n---\n").message().id()).isEqualTo("phase-abc123");
  }

  @Test
  void frontMatter_overridesName() {
    TxFile file = read("1030100000-ask-brain--core-t1.md", String.format(WHOLE, ""));

    assertThat(file.message().type()).isEqualTo(TxType.TASK);
    assertThat(file.message().to()).hasToString("brain/brain");
    assertThat(all(file))
        .containsExactly(
            "1030100000-ask-brain--core-t1.md: the file name contradicts the front matter; the"
                + " front matter is used");
  }

  @Test
  void agentsWithEqualJoinedName_areDifferent() {
    String text = String.format(WHOLE, "");
    TxFile one = read("1030100000-task-core--c-t1.md", text.replace("brain/brain", "a-b/c"));
    TxFile other = read("1030100000-task-core--b-c-t1.md", text.replace("brain/brain", "a/b-c"));

    assertThat(one.warnings()).isEmpty();
    assertThat(other.warnings()).isEmpty();
    assertThat(one.message().to()).isNotEqualTo(other.message().to());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"notes.md", ".md", "", "1030100000-.md", "--.md", "a\nb.md", "103-x--y-z"})
  void anyFileName_isAccepted(String name) {
    TxFile file = read(name, String.format(WHOLE, ""));

    assertThat(file.message().id()).isEqualTo("t1");
    assertThat(file.warnings()).hasSize(1);
    assertThat(all(file).get(0))
        .contains("the file name does not match TX's pattern")
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource({
    "1030100000-task-core--brain-t1-orphan.md, t1, true",
    "1030100000-task-core--brain-t1.md, t1, false",
    "1030100000-task-core--brain-t1-orphan.md, t1-orphan, false",
    "1030100000-task-core--brain-t1-orphan-orphan.md, t1-orphan, true",
  })
  void orphan_isRecognizedByName(String name, String id, boolean orphan) {
    TxFile file = read(name, String.format(WHOLE, "").replace("t1", id));

    assertThat(file.isOrphan()).isEqualTo(orphan);
    assertThat(file.message().id()).isEqualTo(id);
    assertThat(file.warnings()).isEmpty();
  }

  // ---- fields

  @ParameterizedTest
  @CsvSource({
    "2025-10-30T10:00:00Z, 2025-10-30T10:00:00Z",
    "2025-10-30T10:00:00.250Z, 2025-10-30T10:00:00.250Z",
    "2025-10-30t10:00:00z, 2025-10-30T10:00:00Z",
    "2025-10-30T10:00:00+02:00, 2025-10-30T08:00:00Z",
    "2025-10-30T10:00:00+0200, 2025-10-30T08:00:00Z",
    "2025-10-30T10:00:00-09, 2025-10-30T19:00:00Z",
    "2025-10-30 10:00:00 +02:00, 2025-10-30T08:00:00Z",
    "2025-10-30T10:00:00+01:00[Europe/Berlin], 2025-10-30T09:00:00Z",
    "2025-10-30 10:00:00 America/New_York, 2025-10-30T14:00:00Z",
    "2025-12-31T23:59:59Z, 2025-12-31T23:59:59Z",
  })
  void timestampOfAnyZone_isRead(String text, Instant time) {
    TxFile file = read(NAME, String.format(WHOLE, "").replace("2025-10-30T10:00:00Z", text));

    assertThat(file.message().timestamp()).isEqualTo(time);
    assertThat(file.warnings()).isEmpty();
  }

  @Test
  void timestampWithoutZone_usesReaderZone() {
    TxFile file =
        read(NAME, String.format(WHOLE, "").replace("2025-10-30T10:00:00Z", "2025-10-30 10:00"));

    assertThat(file.message().timestamp()).isEqualTo("2025-10-30T09:00:00Z");
    assertThat(all(file))
        .containsExactly(NAME + ":9: the timestamp has no time zone; assuming Europe/Berlin");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"!important fix", "&c and others", "!", "& more", "!!str it's", "!a: b", "&x *y"})
  void headlineWithAMark_keepsItsFirstWord(String headline) {
    TxFile file =
        read(
            NAME,
            HEADLINE
                .matcher(String.format(WHOLE, ""))
                .replaceFirst(Matcher.quoteReplacement("headline: " + headline)));
    assertThat(file.message().headline()).isEqualTo(headline);
  }

  @Test
  void dateAsTimestamp_isStartOfDay() {
    TxFile file =
        read(NAME, String.format(WHOLE, "").replace("2025-10-30T10:00:00Z", "2025-10-30"));
    assertThat(file.message().timestamp()).isEqualTo("2025-10-29T23:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "2025-10-31, 2025-10-31T23:00:00Z",
    "2025-03-30, 2025-03-30T22:00:00Z",
    "2025-10-31T00:00:00Z, 2025-10-31T00:00:00Z",
  })
  void dateAsDeadline_isEndOfDay(String text, Instant deadline) {
    TxFile file = withField("deadline: " + text);

    assertThat(file.message().deadline()).isEqualTo(deadline);
    assertThat(file.warnings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tomorrow",
        "2025-13-01",
        "2025-02-30",
        "2025-02-30T10:00Z",
        "2025-04-31 10:00",
        "2025-02-29T10:00:00+01:00",
        "99999-01-01",
        "10:00",
        "2025-10-31T25:00:00Z",
        "2025-10-31T00:00:00+99:00",
        "2025-10-31T00:00:00Nowhere/City"
      })
  void invalidDeadline_isOmitted(String text) {
    TxFile file = withField("deadline: " + text);

    assertThat(file.message().deadline()).isNull();
    assertThat(all(file))
        .containsExactly(
            NAME
                + ":10: deadline ignored: '"
                + text
                + "' is not a time such as 2025-10-30T10:00:00Z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "priority: urgent;:10: priority ignored: 'urgent' is not a priority; use high, normal"
            + " or low",
        "priority: [high];:10: priority ignored: must be a text, not a list",
        "to: a/b;:10: 'to' appears more than once; the last value is used",
        "deadline: *anchor;found undefined alias",
        "in-reply-to: \"a\\nb\";:10: in-reply-to ignored: in-reply-to contains an invisible"
            + " character or a line break: 'a\\u000ab'",
        "? [a];:10: field ignored: its name must be a text",
        "tags: [a, {b: c}];:10: an item of 'tags' ignored: not a text",
        "tags: ['', b];:10: tags ignored: a tag must not be blank",
      })
  void invalidField_isOmittedWithWarning(String field, String warning) {
    assertThat(String.join("\n", all(withField(field))))
        .contains(warning.replace("found undefined alias", "alias"));
  }

  @Test
  void anyStatus_isAccepted() {
    TxFile file = read(NAME, String.format(WHOLE, "").replace("start", "needs-more-data"));

    assertThat(file.message().status()).isEqualTo("needs-more-data");
    assertThat(file.warnings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tags: [a, b c]", "tags: a, b c", "tags:\n- a\n- b c", "tags: ['a', \"b c\"]"})
  void tags_areReadFromEveryListForm(String field) {
    TxFile file = withField(field);

    assertThat(file.message().tags()).containsExactly("a", "b c");
    assertThat(file.warnings()).isEmpty();
  }

  @Test
  void textFields_areNotConvertedToNumbers() {
    TxFile file = read(NAME, String.format(WHOLE, "").replace("t1", "0012").replace("start", "no"));

    assertThat(file.message().id()).isEqualTo("0012");
    assertThat(file.message().status()).isEqualTo("no");
  }

  @Test
  void unknownFields_areKept() {
    TxFile file = withField("max-iterations: 10\nspawn: {mesh: x}");

    assertThat(file.field("max-iterations")).isEqualTo("10");
    assertThat(file.field("spawn")).isNull();
    assertThat(file.warnings()).isEmpty();
  }

  @Test
  void unknownType_isOmittedButReadableAsField() {
    TxFile file = read("x.md", String.format(WHOLE, "").replace("type: task", "type: ask-human"));

    assertThat(file.message().type()).isNull();
    assertThat(file.field("type")).isEqualTo("ask-human");
  }

  @Test
  void body_isReadUnchanged() {
    String body = "  indented\r\n\n---\nto: nobody/else\n---\n\n  \t";
    TxFile file = read(NAME, String.format(WHOLE, "").replace("Text", body));

    assertThat(file.message().body()).isEqualTo(body);
    assertThat(file.message().to()).hasToString("brain/brain");
  }

  @Test
  void windowsFile_isReadAsUnixFile() {
    TxFile unix = read(NAME, String.format(WHOLE, "tags: a"));
    TxFile windows = read(NAME, "\ufeff" + String.format(WHOLE, "tags: a").replace("\n", "\r\n"));

    assertThat(windows.warnings()).isEmpty();
    assertThat(windows.message()).isEqualTo(unix.message());
    assertThat(windows.sha256()).isNotEqualTo(unix.sha256());
  }

  @Test
  void invalidUtf8_isReplacedWithWarning() {
    byte[] bytes =
        String.format(WHOLE, "")
            .replace("Text", "T\u00e4xt")
            .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);

    TxFile file = new TxReader(ZoneId.of("UTC")).read(NAME, bytes);

    assertThat(file.message().body()).isEqualTo("T\ufffdxt");
    assertThat(all(file))
        .containsExactly(NAME + ": invalid UTF-8; invalid bytes are shown as \ufffd");
  }

  // ---- unreadable files

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "x;:1: a message must begin with a line '---'",
        "---|to: a/b;:1: the front matter must end with a line '---'",
        "---|- a|---;:2:1: the front matter must be lines of the form 'name: text'",
        "---|\"just text\"|---;:2:1: the front matter must be lines of the form 'name: text'",
        "---|to: a|  b: c|---;:3:4: the front matter is not valid YAML: mapping values are not"
            + " allowed here",
        "---|to: a/b|\u0007: x|---;:3:1: the front matter is not valid YAML: contains the"
            + " character U+0007",
      })
  void invalidMessage_isRejectedWithPlaceAndReason(String text, String message) {
    assertThatThrownBy(() -> read("x.md", text.replace('|', '\n')))
        .isInstanceOf(RalphException.class)
        .hasMessage("x.md" + message)
        .extracting("code")
        .isEqualTo(RalphException.Code.INVALID);
  }

  @Test
  void halfWrittenFile_isRejected() {
    String whole = String.format(WHOLE, "tags: [a]");
    int end = whole.indexOf("\n---", 4) + 4;
    for (int length = 0; length < end; length++) {
      String half = whole.substring(0, length);
      assertThatThrownBy(() -> read(NAME, half)).as(half).isInstanceOf(RalphException.class);
    }
  }

  @Test
  void yamlAliases_areNotFollowed() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 800; i++) {
      bomb.append('a').append(i).append(": &a").append(i).append(" [");
      bomb.append(("*a" + (i - 1) + ",").repeat(9)).append("]\n");
    }

    TxFile file = withField(bomb.append("deadline: *a0").toString());

    assertThat(file.message().id()).isEqualTo("t1");
    assertThat(file.warnings()).hasSizeBetween(2, 51);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? "})
  void deepNesting_isRejected(String level) {
    assertThatThrownBy(() -> withField("deep:\n " + level.repeat(15_000)))
        .hasMessage(
            NAME + ":11:" + column(level) + ": the front matter is nested deeper than 8 levels");
  }

  private static int column(String level) {
    return 2 + 8 * level.length();
  }

  @Test
  void hugeFrontMatter_isRejected() {
    assertThatThrownBy(() -> withField("x: " + "y".repeat(TxReader.LONGEST_FRONT_MATTER)))
        .hasMessage(NAME + ":1: the front matter has more than 64 KiB");
    assertThatThrownBy(() -> withField("x: y\n".repeat(TxReader.LONGEST_FRONT_MATTER)))
        .hasMessage(NAME + ":1: the front matter has more than 64 KiB");
  }

  @Test
  void hugeFile_isRejectedUnread(@TempDir Path folder) throws Exception {
    Path file = folder.resolve(NAME);
    try (var out = new java.io.RandomAccessFile(file.toFile(), "rw")) {
      out.setLength(100L << 30);
    }

    assertThatThrownBy(() -> new TxReader(ZoneId.of("UTC")).read(file))
        .hasMessage(NAME + ": the file has more than 8 MiB");
  }

  @Test
  void reading_changesNothing(@TempDir Path folder) throws Exception {
    String edited = String.format(WHOLE, "mine:   kept  # as it is").replace("\n", "\r\n");
    Path file = Files.writeString(folder.resolve(NAME), edited);

    TxFile read = new TxReader(ZoneId.of("UTC")).read(file);

    assertThat(file).hasContent(edited);
    assertThat(folder).isDirectoryNotContaining(each -> !each.equals(file));
    assertThat(read.name()).isEqualTo(NAME);
  }

  @Test
  void folderOrMissingFile_isRejected(@TempDir Path folder) {
    assertThatThrownBy(() -> new TxReader(ZoneId.of("UTC")).read(folder))
        .hasMessageContaining("is a folder");
    assertThatThrownBy(() -> new TxReader(ZoneId.of("UTC")).read(folder.resolve("x.md")))
        .hasMessageContaining("no such file");
  }

  @Test
  void checksum_coversFileBytes() {
    assertThat(read("x.md", "---\n---\n").sha256())
        .isEqualTo("d487269d2de0655a9ed127c83b0d1006d724e600385b32f4f4b39893c1e0164b");
  }
}
