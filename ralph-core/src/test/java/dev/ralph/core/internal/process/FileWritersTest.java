package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Detection of processes that have files open for writing. */
@EnabledOnOs(OS.LINUX)
class FileWritersTest {

  private static final long THIS = ProcessHandle.current().pid();

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void make() throws Exception {
    file = Files.writeString(folder.resolve("a file"), "text");
  }

  @Test
  void unwrittenFile_hasNoWriter() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other")).resolve("a file");
    try (InputStream reader = Files.newInputStream(file);
        OutputStream writerOfAnother = Files.newOutputStream(other)) {
      assertThat(reader.read()).isEqualTo('t');
      writerOfAnother.write('t');
      assertThat(FileWriters.of(List.of(file, folder.resolve("missing")))).isEmpty();
    }
  }

  @Test
  void fileOpenToAppendOrWrite_hasAWriter() throws Exception {
    Path second = Files.writeString(folder.resolve("second"), "text");
    try (RandomAccessFile both = new RandomAccessFile(file.toFile(), "rw")) {
      assertThat(both.length()).isEqualTo(4);
      Process appending =
          new ProcessBuilder("sh", "-c", "exec >>\"$0\"; echo open >&2; read end", "second")
              .directory(folder.toFile())
              .start();
      try {
        assertThat(appending.getErrorStream().read()).isEqualTo('o');
        assertThat(FileWriters.of(List.of(file, second)))
            .isEqualTo(Map.of(file, THIS, second, appending.pid()));
      } finally {
        appending.destroyForcibly().waitFor();
      }
      assertThat(FileWriters.of(List.of(file, second))).containsOnlyKeys(file);
    }
  }

  @Test
  void linkedFile_hasTheWriterOfItsTarget() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    try (OutputStream writer = Files.newOutputStream(file)) {
      writer.write('t');
      assertThat(FileWriters.of(List.of(link))).isEqualTo(Map.of(link, THIS));
    }
  }
}
