package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.LeftFilesContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LeftFilesTest extends LeftFilesContract {

  @Override
  protected FrameStoreProvider provider() {
    return new FileStoreProvider();
  }

  @Test
  void damagedLog_hasNoLeftovers() throws IOException {
    contents.put(large("left").getBytes(StandardCharsets.UTF_8));
    Path segment = TestLog.segment(directory);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[bytes.length - 20] ^= 1;
    Files.write(segment, bytes);

    try (FrameStore later = openInTwoDays()) {
      assertThat(later.leftovers()).isEmpty();
      assertThat(later.removeLeftovers()).isEmpty();
      assertThat(later.verify()).isNotEmpty();
    }
  }
}
