package dev.ralph.store.support.internal.folder;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreFolderTest {

  @Test
  void fileSystemWithoutInodes_isRejected(@TempDir Path folder) throws Exception {
    Path archive = folder.resolve("files.zip");
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      assertThatThrownBy(() -> StoreFolder.locate(zip.getPath("/a/store")))
          .isInstanceOf(RalphException.class)
          .hasMessage(
              "a store on disk needs a file system of Linux or macOS, and '/a/store' has none;"
                  + " use Linux, macOS, WSL on Windows, or a store in memory");
    }
  }
}
