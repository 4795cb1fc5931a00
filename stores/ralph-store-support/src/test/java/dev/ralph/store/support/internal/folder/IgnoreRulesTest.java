package dev.ralph.store.support.internal.folder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.store.support.GitRepository;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the rules with the behaviour of git. */
class IgnoreRulesTest {

  @TempDir Path folder;
  private GitRepository repository;

  @BeforeEach
  void makeRepository() throws Exception {
    repository = new GitRepository(folder);
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "store",
        ".ralph/store",
        "#a/!b",
        "!a",
        "a*b/?",
        "[ab]",
        "a]",
        "a\\b",
        " a / b ",
        "a ",
        "w\u00fcrfel/\u65e5\u672c",
        "a\"b'c",
        "a!",
        "-a",
        "**",
        "a,b;c"
      })
  void line_ignoresOnlyItsFolder(String path) throws Exception {
    String line = IgnoreRules.lineFor(latin(path)) + "\n";
    Files.write(folder.resolve(".git/info/exclude"), line.getBytes(StandardCharsets.ISO_8859_1));
    Files.createDirectories(folder.resolve(path));
    Files.writeString(folder.resolve(path).resolve("file"), "");
    for (String other : new String[] {"aXb", "ab", "a", "b", "X", path + "X", "in/" + path}) {
      Files.createDirectories(folder.resolve("others").resolve(other));
      Files.writeString(folder.resolve("others").resolve(other).resolve("file"), "");
    }
    repository.shell("cp -r others/. . 2>/dev/null && rm -r others");
    String ignored = repository.git("status --porcelain -z --ignored=matching -uall");
    assertThat(ignored.split("\0"))
        .filteredOn(each -> each.startsWith("!!"))
        .containsExactly("!! " + path + "/");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "!*/, true",
        "!*, true",
        "!store, true",
        "!store/, true",
        "!/store, false",
        "!.ralph/, false",
        "!.ralph/**, true",
        "!.ralph/*, true",
        "!/.ralph/store, true",
        "!.ralph/st?re, true",
        "!.ralph/[rs]tore, true",
        "!.ralph/s\\tore, true",
        "!**/src/main/**, false",
        "!**/store, true",
        "!**/.ralph/**/store, true",
        "!.ralph/**/store, true",
        "!*.jar, false",
        "!.gitkeep, false",
        "!gradle/wrapper/*.jar, false",
        "!?ralph?store, false",
        "!s*e, true",
        "!ralph/store, false",
        "#!store, false",
        "\\!store, false",
        "!store  , true",
        "!storehouse, false",
        "!stor, false"
      })
  void exception_matchesAsInGit(String line, boolean expected) throws Exception {
    Files.writeString(folder.resolve(".gitignore"), line + "\n");
    Files.writeString(folder.resolve(".git/info/exclude"), "/.ralph/store/\n");
    Files.createDirectories(folder.resolve(".ralph/store"));
    boolean ignored = repository.run("git check-ignore -q .ralph/store").code() == 0;
    assertThat(ignored).as("answer of git").isEqualTo(!expected);
    assertThat(IgnoreRules.exceptionIn(line + "\n", 0, ".ralph/store") != null).isEqualTo(expected);
  }

  @Test
  void exceptionAfterByteOrderMarkOrCrLf_isFound() {
    assertThat(IgnoreRules.exceptionIn("\u00ef\u00bb\u00bf!*/\r\n", 0, "store")).isEqualTo("!*/");
    assertThat(IgnoreRules.exceptionIn("a\r\n!STORE\r\nb", 0, "store")).isEqualTo("!STORE");
  }

  @Test
  void maliciousPattern_doesNotBlock() {
    String pattern = "!" + "*a".repeat(1_000) + "b";
    Assertions.assertTimeout(
        Duration.ofSeconds(30),
        () -> assertThat(IgnoreRules.exceptionIn(pattern, 0, "a".repeat(200))).isNull());
  }
}
