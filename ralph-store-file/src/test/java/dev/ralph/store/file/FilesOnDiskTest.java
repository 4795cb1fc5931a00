package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilesOnDiskTest {

  @TempDir Path temp;

  @Test
  void files_areReadableByOwnerOnly() throws IOException {
    Path directory = temp.resolve("a/b/store");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "x".repeat(100_000));
    }
    try (Stream<Path> files = Files.walk(temp.resolve("a"))) {
      assertThat(files)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .as(file.toString())
                      .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
    }
  }

  @Test
  void line_isReadableJson() throws IOException {
    Path directory = temp.resolve("store");
    Frame frame;
    try (FrameStore store = TestLog.open(directory)) {
      frame = TestLog.append(store, TestLog.TOPIC, "Write \"it\"\n\u0001 ü").get(0);
    }
    assertThat(Files.readAllLines(TestLog.segment(directory)).get(1))
        .startsWith("{\"id\":\"" + frame.id() + "\",\"topic\":\"ralph.test.task\",\"time\":\"20")
        .contains(
            "\"meta\":{\"action\":\"add\"},\"content\":\"Write \\\"it\\\"\\n\\u0001 ü\",\"crc\":\"");
  }

  @Test
  void lostContentFile_isReported() throws IOException {
    Path directory = temp.resolve("store");
    String large = "y".repeat(70_000);
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, large, "small");
      assertThat(TestLog.contents(store)).containsExactly(large, "small");
      assertThat(Files.size(TestLog.segment(directory))).isLessThan(2_000);
      try (Stream<Path> files = Files.walk(directory.resolve("content"))) {
        Files.writeString(files.filter(Files::isRegularFile).findFirst().orElseThrow(), "other");
      }
      assertThatThrownBy(() -> TestLog.contents(store))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED));
      assertThat(store.verify()).hasSize(1);
    }
  }

  @Test
  void foreignFolder_isRejectedUnchanged() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "mine");
    Path foreign = Files.createDirectories(temp.resolve("foreign"));
    Files.writeString(foreign.resolve("metadata.cq4t"), "queue");

    assertThatThrownBy(() -> TestLog.open(file)).hasMessageContaining("is a file");
    assertThatThrownBy(() -> TestLog.open(foreign))
        .hasMessageContaining("metadata.cq4t")
        .hasMessageContaining("not a file store");
    assertThat(file).hasContent("mine");
    assertThat(foreign).isDirectoryNotContaining(path -> path.endsWith("log"));
  }

  @Test
  void missingStore_isNotCreated() {
    Path directory = temp.resolve("none");
    assertThatThrownBy(() -> new FileStoreProvider().open(StoreConfig.in(directory).existing()))
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
        .hasMessageContaining(directory.toString());
    assertThat(directory).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1970-01-01T00:00:00.000Z", "2026-11-21T08:30:00.123Z", "2024-02-29T23:59:59.999Z",
        "2000-02-29T00:00:00.001Z", "1900-03-01T12:00:00.000Z", "0000-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z", "2100-02-28T23:59:59.000Z"
      })
  void times_matchPlatformFormat(String text) {
    byte[] written = new byte[TimeText.LENGTH];
    long millis = Instant.parse(text).toEpochMilli();
    TimeText.write(millis, written, 0);
    assertThat(new String(written, java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo(text);
    assertThat(TimeText.read(written, 0)).isEqualTo(millis);
  }
}
