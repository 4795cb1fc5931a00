package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that the store declares exactly the fixture's properties. */
public abstract class DeclarationConformance extends StoreConformance {

  /** The smallest limits that {@link StoreInfo} permits. */
  private static final long LEAST_CONTENT_BYTES = 8 << 20;

  private static final int LEAST_BATCH_FRAMES = 100;

  @Test
  @Order(PLAINEST)
  void capabilities_equalTheFixtures() {
    StoreInfo info = open().info();
    assertThat(info.capabilities())
        .as("capabilities of the store, compared with the fixture")
        .isEqualTo(fixture().capabilities());
  }

  @Test
  void guarantees_equalTheCommittedTable() {
    Guarantees guarantees = new Guarantees(fixture(), open().info());
    guarantees.table().lines().forEach(this::report);
    guarantees.check();
  }

  @Test
  void info_isComplete() {
    StoreInfo info = open().info();
    assertThat(info.kind()).isEqualTo(fixture().provider().name());
    assertThat(info.storeId()).isNotBlank();
    assertThat(info.location()).isNotBlank();
    assertThat(info.maxContentBytes())
        .as("largest content of a frame; StoreInfo requires at least 8 MiB")
        .isGreaterThanOrEqualTo(LEAST_CONTENT_BYTES);
    assertThat(info.maxBatchFrames())
        .as("most frames in a batch; StoreInfo requires at least 100")
        .isGreaterThanOrEqualTo(LEAST_BATCH_FRAMES);
  }

  @Test
  void provider_isFoundByName() {
    assertThat(ServiceLoader.load(FrameStoreProvider.class))
        .extracting(FrameStoreProvider::name)
        .as("names of the providers on the class path")
        .containsOnlyOnce(fixture().provider().name());
  }

  @Test
  void storeIds_areUnique() {
    Path elsewhere = temporary.resolve("elsewhere");
    try (FrameStore other = fixture().provider().open(fixture().place(elsewhere))) {
      assertThat(open().info().storeId()).isNotEqualTo(other.info().storeId());
    }
    fixture().drop(elsewhere);
  }

  @Test
  void missingStore_isNotCreated() {
    assertFails(Code.NOT_FOUND, () -> open(config().existing()));
    Path directory = config().directory();
    assertThat(directory == null || Files.notExists(directory)).as("no folder created").isTrue();
  }

  @Test
  void folderOfAnotherKind_isRejectedUnchanged() throws IOException {
    Path directory = config().directory();
    if (directory == null) {
      report("a store of this kind is in no directory");
      open();
      return;
    }
    Files.createDirectories(directory);
    Path header = directory.resolve("store.json");
    String foreign = "{\"ralph\":\"of another kind\",\"format\":1,\"store\":\"s\"}\n";
    Files.writeString(header, foreign);
    assertFails(Code.INVALID, () -> open());
    assertFails(Code.INVALID, () -> open(config().existing()));
    try (Stream<Path> held = Files.list(directory)) {
      assertThat(held).containsExactly(header);
    }
    assertThat(header).content().isEqualTo(foreign);
  }

  @Test
  void soundStore_hasNoDamage() {
    FrameStore store = open();
    assertThat(store.verify()).isEmpty();
    appendEach(store, TOPIC, 0, 10);
    assertThat(store.verify()).isEmpty();
  }
}
