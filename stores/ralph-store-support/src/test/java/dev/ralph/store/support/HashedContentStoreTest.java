package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.DamagedException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HashedContentStoreTest {

  private static final byte[] CONTENT = "what was said".repeat(10).getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;
  private HashedContentStore store;

  @BeforeEach
  void makeStore() {
    store = new HashedContentStore(new StoreFiles(directory));
  }

  @Test
  void storedContent_isReadAndStoredOnce() throws IOException {
    String address = store.put(CONTENT);
    assertThat(store.put(CONTENT.clone())).isEqualTo(address);
    assertThat(store.put(new byte[0])).isNotEqualTo(address);

    assertThat(store.get(address)).isEqualTo(CONTENT);
    assertThat(files()).hasSize(2);
  }

  @Test
  void flippedBit_isDamage() throws IOException {
    String address = store.put(CONTENT);
    for (int at = 0; at < CONTENT.length; at++) {
      byte[] flipped = CONTENT.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Files.write(file(), flipped);
      assertDamaged(address, "was changed after it was written");
    }
  }

  @Test
  void truncatedContent_isDamage() throws IOException {
    String address = store.put(CONTENT);
    for (int length = 0; length < CONTENT.length; length++) {
      Files.write(file(), Arrays.copyOf(CONTENT, length));
      assertDamaged(address, "was changed after it was written");
    }
  }

  @Test
  void missingContent_isDamage() throws IOException {
    String address = store.put(CONTENT);
    Path file = file();
    Files.delete(file);
    assertDamaged(address, "the content file " + file + " is missing; restore the file");
  }

  @Test
  void unreadableContent_isNoDamage() throws IOException {
    String address = store.put(CONTENT);
    Path file = file();
    Files.delete(file);
    Files.createDirectory(file);

    assertThatThrownBy(() -> store.get(address))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.IO))
        .hasMessageContaining(file.toString());
  }

  static Stream<String> noAddresses() {
    String hash = "0123456789abcdef".repeat(4);
    return Stream.of(
        "",
        "sha256-",
        "sha256-../../../../etc/passwd",
        "md5-00",
        "sha256-A0",
        "/etc/passwd",
        "..",
        "sha256-" + hash.toUpperCase(Locale.ROOT),
        "SHA256-" + hash,
        "sha256-" + hash + "0",
        "sha256-" + hash.substring(1),
        " sha256-" + hash,
        "sha256-" + hash + "\n",
        "sha256-" + hash.substring(1) + "\0",
        "sha256-" + hash.substring(3) + "/..",
        "sha256-../" + hash.substring(3),
        "sha256-/" + hash.substring(1),
        "sha256-" + hash.substring(1) + "\u0661", // a digit, but not an ASCII digit
        "sha256-" + hash.repeat(1_000));
  }

  @ParameterizedTest
  @MethodSource("noAddresses")
  void invalidAddress_isRejected(String address) throws IOException {
    store.put(CONTENT);
    Path other = Files.createFile(directory.resolve("other"));

    assertThat(HashedContentStore.isAddress(address)).isFalse();
    assertDamaged(address, "is not an address");
    assertThatThrownBy(() -> store.has(address)).isInstanceOf(DamagedException.class);
    assertThatThrownBy(() -> store.remove(address)).isInstanceOf(DamagedException.class);
    assertThatThrownBy(() -> store.remove(other.toString())).isInstanceOf(DamagedException.class);
    assertThat(files()).hasSize(2);
  }

  @Test
  void contentPutAgain_repairsDamagedFile() throws IOException {
    String address = store.put(CONTENT);
    Files.write(file(), new byte[] {1, 2, 3});

    assertThat(store.put(CONTENT)).isEqualTo(address);

    assertThat(store.get(address)).isEqualTo(CONTENT);
  }

  @Test
  void contentPutAgain_repairsMissingFolder() throws IOException {
    String address = store.put(CONTENT);
    Files.delete(file());
    Files.delete(directory.resolve("content").resolve(address.substring(7, 9)));

    assertThat(store.put(CONTENT)).isEqualTo(address);

    assertThat(store.get(address)).isEqualTo(CONTENT);
  }

  @Test
  void interruptedThread_putsAndGetsContent() {
    Thread.currentThread().interrupt();
    try {
      assertThat(store.get(store.put(CONTENT))).isEqualTo(CONTENT);
      assertThat(store.get(store.put(CONTENT))).isEqualTo(CONTENT);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  private void assertDamaged(String address, String how) {
    assertThatThrownBy(() -> store.get(address))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED))
        .hasMessageContaining(how);
  }

  private Path file() throws IOException {
    return files().get(0);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
