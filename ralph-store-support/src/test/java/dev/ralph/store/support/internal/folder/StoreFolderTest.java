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
  void aFileSystemWithoutFileNumbersIsRefusedInWords(@TempDir Path folder) throws Exception {
    Path archive = folder.resolve("files.zip");
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      assertThatThrownBy(() -> StoreFolder.locate(zip.getPath("/a/store")))
          .isInstanceOf(RalphException.class)
          .hasMessage(
              "a store on disk needs the files of Linux or macOS, and '/a/store' is on another"
                  + " system; use one of these (WSL on Windows), or a store in memory");
    }
  }
}
