package dev.ralph.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NoteLog;
import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ToolsTest {

  @Test
  void commands_nameUsualNoteTypes() {
    List<String> usual = NoteLog.USUAL_TYPES;
    int last = usual.size() - 1;

    assertThat(Tools.commands(Path.of("ralph")).describe("demo", store()))
        .contains(
            "of type "
                + String.join(", ", usual.subList(0, last))
                + " or "
                + usual.get(last)
                + ";");
  }

  private static StoreInfo store() {
    return new StoreInfo("id", "file", "folder", Set.of(), 1_000, 10);
  }
}
