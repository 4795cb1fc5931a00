package dev.ralph.web.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolCallTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // Claude Code
        "{\"file_path\":\"/src/LoginForm.java\",\"old_string\":\"a\\nb\",\"new_string\":\"a\\nx\\ny\\nz\"}"
            + " | LoginForm.java +3 -1",
        "{\"file_path\":\"/src/A.java\",\"old_string\":\"a\",\"new_string\":\"\",\"replace_all\":true} | A.java -1",
        "{\"file_path\":\"/src/A.java\",\"old_string\":\"a\\nb\\nc\",\"new_string\":\"x\\nb\\ny\"} | A.java +2 -2",
        "{\"file_path\":\"C:\\\\src\\\\A.java\",\"content\":\"one\\ntwo\\n\"} | A.java +2",
        "{\"file_path\":\"/src/A.java\",\"offset\":10,\"limit\":20} | A.java",
        "{\"file_path\":\"A.java\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"},"
            + "{\"old_string\":\"c\",\"new_string\":\"c\\nd\"}]} | A.java +2 -1",
        "{\"command\":\"mvn -q verify\",\"description\":\"Builds\"} | mvn -q verify",
        "{\"command\":\"cat <<X\\none\\nX\"} | cat <<X …",
        "{\"pattern\":\"TODO\",\"path\":\"/src/main\"} | TODO in main",
        // OpenCode
        "{\"filePath\":\"src/A.java\",\"oldString\":\"a\",\"newString\":\"b\\nc\"} | A.java +2 -1",
        "{\"patchText\":\"*** Begin Patch\\n*** Update File: src/A.java\\n@@\\n-a\\n+b\\n+c\\n*** End Patch\"}"
            + " | A.java +2 -1",
        // Codex
        "{\"changes\":[{\"path\":\"/a/A.java\",\"kind\":\"update\"},{\"path\":\"/a/B.java\",\"kind\":\"add\"}]}"
            + " | A.java and 1 more",
        "{\"changes\":{\"/a/A.java\":{\"unified_diff\":\"@@ -1 +1 @@\\n-a\\n+b\"}}} | A.java +1 -1",
        // Unknown argument names
        "{\"n\":1,\"m\":{\"x\":2}} | `{\"n\":1,\"m\":{\"x\":2}}`",
        "{\"n\":1,\"title\":\"Fix it\"} | Fix it",
        "{\"path\":7,\"edits\":\"none\",\"changes\":[1]} | none",
        "{} | ``",
      })
  void arguments_areShownOnSingleLine(String arguments, String line) {
    assertThat(ToolCallText.of(Meta.parse(arguments))).isEqualTo(line);
  }

  @Test
  void largeChange_isCountedWithoutExactDifference() {
    Meta arguments =
        Meta.of("path", "A.java")
            .with("old_string", "a\n".repeat(10_000))
            .with("new_string", "b\n".repeat(20_000));

    assertThat(ToolCallText.of(arguments)).isEqualTo("A.java +20000 -10000");
  }
}
