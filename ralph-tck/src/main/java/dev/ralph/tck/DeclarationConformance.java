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

/** A store says what it is, and promises neither more nor less than its fixture declares. */
public abstract class DeclarationConformance extends StoreConformance {

  /** The smallest limits that a store may have, as {@link StoreInfo} says. */
  private static final long LEAST_CONTENT_BYTES = 8 << 20;

  private static final int LEAST_BATCH_FRAMES = 100;

  @Test
  @Order(PLAINEST)
  void promisesWhatTheFixtureDeclares() {
    StoreInfo info = open().info();
    assertThat(info.capabilities())
        .as("the capabilities that the store tells, against those of its fixture")
        .isEqualTo(fixture().capabilities());
  }

  @Test
  void guaranteesWhatItsCommittedTableSays() {
    Guarantees guarantees = new Guarantees(fixture(), open().info());
    guarantees.table().lines().forEach(this::report);
    guarantees.check();
  }

  @Test
  void describesItself() {
    StoreInfo info = open().info();
    assertThat(info.kind()).isEqualTo(fixture().provider().name());
    assertThat(info.storeId()).isNotBlank();
    assertThat(info.location()).isNotBlank();
    assertThat(info.maxContentBytes())
        .as("the largest content of a frame; StoreInfo demands 8 MiB of every store")
        .isGreaterThanOrEqualTo(LEAST_CONTENT_BYTES);
    assertThat(info.maxBatchFrames())
        .as("the most frames in a batch; StoreInfo demands 100 of every store")
        .isGreaterThanOrEqualTo(LEAST_BATCH_FRAMES);
  }

  @Test
  void isFoundByItsName() {
    assertThat(ServiceLoader.load(FrameStoreProvider.class))
        .extracting(FrameStoreProvider::name)
        .as("names of the providers on the class path")
        .containsOnlyOnce(fixture().provider().name());
  }

  @Test
  void twoStoresHaveTwoIds() {
    Path elsewhere = temporary.resolve("elsewhere");
    try (FrameStore other = fixture().provider().open(fixture().place(elsewhere))) {
      assertThat(open().info().storeId()).isNotEqualTo(other.info().storeId());
    }
    fixture().drop(elsewhere);
  }

  @Test
  void aStoreThatMustExistIsNotCreated() {
    assertFails(Code.NOT_FOUND, () -> open(config().existing()));
    Path directory = config().directory();
    assertThat(directory == null || Files.notExists(directory)).as("nothing is created").isTrue();
  }

  @Test
  void aFolderThatHoldsAnotherKindOfStoreIsRefusedAndLeftAsItIs() throws IOException {
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
  void aSoundStoreVerifies() {
    FrameStore store = open();
    assertThat(store.verify()).isEmpty();
    appendEach(store, TOPIC, 0, 10);
    assertThat(store.verify()).isEmpty();
  }
}
