package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {

  @TempDir Path directory;

  @Test
  void aFolderInPlaceOfWhichIsSomethingElseIsRefusedWithTheReason() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nowhere"));
    for (Path taken : new Path[] {file, link}) {
      assertThatThrownBy(() -> PrivateFiles.createDirectories(taken))
          .isInstanceOf(RalphException.class)
          .hasMessage(
              "cannot make the folder %s: %s is no folder, or a link that leads nowhere;"
                  + " remove it, or choose another place",
              taken, taken);
    }
  }
}
