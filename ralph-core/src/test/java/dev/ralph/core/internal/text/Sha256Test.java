package dev.ralph.core.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Sha256Test {

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_536, 200_001})
  void file_hasTheDigestOfItsBytes(int size) throws Exception {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i % 251);
    }
    Path file = Files.write(folder.resolve("file"), bytes);
    assertThat(Sha256.of(file)).isEqualTo(Sha256.of(bytes));
  }
}
