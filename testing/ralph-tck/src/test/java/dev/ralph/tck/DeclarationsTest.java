package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that missing capabilities are checked, and that changes of declared guarantees fail. */
class DeclarationsTest {

  @AfterEach
  void forgetProperty() {
    System.clearProperty(Guarantees.WRITE_TO);
  }

  @Test
  void undeclaredPersistence_isDetected() {
    StoreFixture sound = new RamDiskFixture(new RamDiskProvider());
    KitRun run =
        KitRun.of(
            KitRun.Reopening.class,
            new StoreFixture() {
              @Override
              public FrameStoreProvider provider() {
                return sound.provider();
              }

              @Override
              public Set<Capability> capabilities() {
                return Set.of(Capability.MINTS_IDS);
              }
            });
    assertThat(run.passed()).noneMatch(test -> test.startsWith("Reopening."));
    assertThat(run.failure()).hasMessageContaining("NOT_FOUND");
  }

  @Test
  void changedTable_failsWithRemedy() {
    StoreFixture fixture = new RamDiskFixture(new RamDiskProvider());
    assertThatCode(() -> new Guarantees(fixture, info(1_000)).check()).doesNotThrowAnyException();
    assertThatThrownBy(() -> new Guarantees(fixture, info(2_000)).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("is not what is committed")
        .hasMessageContaining("src/test/resources/guarantees-ramdisk.md")
        .hasMessageContaining("-Dralph.tck.guarantees=src/test/resources")
        .hasMessageContaining("| Most frames in a batch | 2000 |")
        .hasMessageContaining("| Most frames in a batch | 1000 |");
  }

  @Test
  void missingTable_isPrintedAndWrittenOnRequest(@TempDir Path directory) throws Exception {
    StoreFixture fixture = new RamDiskFixture(new RamDiskProvider());
    StoreInfo unknown = new StoreInfo("id", "unknown", "unknown", Set.of(), 1, 2);
    Guarantees guarantees = new Guarantees(fixture, unknown);
    assertThatThrownBy(guarantees::check)
        .hasMessageContaining("is not committed")
        .hasMessageContaining(guarantees.table());

    System.setProperty(Guarantees.WRITE_TO, directory.resolve("new").toString());
    guarantees.check();
    assertThat(directory.resolve("new/guarantees-unknown.md"))
        .content()
        .isEqualTo(guarantees.table());
    try (Stream<Path> made = Files.list(directory)) {
      assertThat(made).hasSize(1);
    }
  }

  private static StoreInfo info(int maxBatchFrames) {
    return new StoreInfo(
        "id", "ramdisk", "ramdisk:x", RamDiskStore.CAPABILITIES, 32L << 20, maxBatchFrames);
  }
}
