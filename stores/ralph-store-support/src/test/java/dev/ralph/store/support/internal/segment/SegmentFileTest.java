package dev.ralph.store.support.internal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentFileTest {

  @TempDir Path directory;

  @Test
  void failedSync_failsAllLaterSyncs() throws IOException {
    Path path = Files.createFile(directory.resolve("segment"));
    SegmentFile file = new SegmentFile(new UnsyncedFiles(directory), path.toFile());
    file.write(0, new byte[] {1}, 1);
    assertThat(file.hasFailed()).isFalse();

    IOException first = catchThrowableOfType(IOException.class, file::sync);

    assertThat(file.hasFailed()).isTrue();
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class).hasCause(first);
    file.close();
    assertThatThrownBy(file::sync).as("sync after close").isInstanceOf(IOException.class);
  }

  @Test
  void syncAfterClose_succeeds() throws IOException {
    Path path = Files.createFile(directory.resolve("segment"));
    SegmentFile file = new SegmentFile(new StoreFiles(directory), path.toFile());
    file.write(0, new byte[] {1, 2, 3}, 3);
    file.sync();
    file.close();
    file.sync();
    assertThat(file.hasFailed()).isFalse();
    assertThat(path).hasBinaryContent(new byte[] {1, 2, 3});
  }
}
