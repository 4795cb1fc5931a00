package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowingFileTest {

  private static final int LONGEST = 100;
  private static final int PER_LOOK = 1_000;

  private final List<String> lines = new ArrayList<>();
  private int changes;
  private long clock = 1_700_000_000_000L;

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("f");
  }

  private GrowingFile reader() {
    return new GrowingFile(file(), LONGEST, lines::add, PER_LOOK, () -> changes++);
  }

  /** Replaces the content and advances the modification time by one second. */
  private void write(String content) throws IOException {
    Files.writeString(file(), content.replace('|', '\n'));
    Files.setLastModifiedTime(file(), FileTime.fromMillis(clock += 1_000));
  }

  @ParameterizedTest
  @CsvSource({
    "a|b|, a|b|c|, a b c",
    "a|b, a|b|c|, a b c",
    "a|b, a|bb|, a bb",
    "'', a|, a",
  })
  void appendedLines_areReadOnce(String before, String after, String expected) throws IOException {
    GrowingFile reader = reader();
    write(before);
    reader.readLines();
    write(after);
    reader.readLines();
    reader.readLines();
    assertThat(reader.readRest()).isTrue();

    assertThat(String.join(" ", lines)).isEqualTo(expected);
    assertThat(changes).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "a|, b|, a b",
    "a|, a|, a",
    "a|b|, a|, a b",
    "a|b|, '', a b",
    "a|b|, c|, a b c",
    "a|b|, a|c|, a b c",
    "a|b|, a|c|d|, a b c d",
    "a|b|, b|c|d|e|, a b b c d e",
    "a|bb, a|b, a b",
    "a|bb, a|cc|, a cc",
  })
  void changedFile_isReadFromTheFirstDifference(String before, String after, String expected)
      throws IOException {
    GrowingFile reader = reader();
    write(before);
    reader.readLines();
    write(after);
    reader.readLines();
    reader.readLines();
    boolean whole = reader.readRest();

    assertThat(changes).isEqualTo(1);
    assertThat(whole).isTrue();
    assertThat(String.join(" ", lines)).isEqualTo(expected);
  }

  @Test
  void deletedFile_isAChange() throws IOException {
    GrowingFile reader = reader();
    write("a|");
    reader.readLines();
    Files.delete(file());
    reader.readLines();
    write("a|");
    reader.readRest();

    assertThat(changes).isEqualTo(1);
    assertThat(lines).containsExactly("a", "a");
  }

  @Test
  void flood_isReadByALimitedAmountPerLook() throws IOException {
    GrowingFile reader = reader();
    write("123456789|".repeat(1_000));
    reader.readLines();
    assertThat(lines).hasSize(PER_LOOK / 10);
    assertThat(reader.readRest()).isFalse();
    assertThat(lines).hasSize(2 * PER_LOOK / 10);
    assertThat(changes).isZero();
  }
}
