package dev.ralph.store.socket.internal;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.FrameStoreConformance;
import dev.ralph.tck.StoreFixture;
import dev.ralph.tck.internal.StoredFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;

/** A socket preserves the contract of the served store. */
@Tag("slow")
class SocketStoreConformanceTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new SocketFixture();
  }

  static final class SocketFixture implements StoreFixture, FrameStoreProvider {

    private static final Map<Path, ServedStore> SERVED = new ConcurrentHashMap<>();
    private static final Map<String, ServedStore> BY_ADDRESS = new ConcurrentHashMap<>();

    @Override
    public FrameStoreProvider provider() {
      return this;
    }

    @Override
    public String name() {
      return new SocketStoreProvider().name();
    }

    /** Opens the socket of a store with the given clock; a missing store has no socket. */
    @Override
    public FrameStore open(StoreConfig config) {
      ServedStore served = BY_ADDRESS.get(config.server());
      served.clock(config.clock());
      StoreConfig place =
          config.mayCreate() || served.exists()
              ? config
              : StoreConfig.at(served.address() + "-none").existing();
      return new SocketStoreProvider().open(place);
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.complementOf(EnumSet.of(Capability.COMPACTS));
    }

    private static Path directory(Path temporary) {
      return temporary.resolve("store");
    }

    @Override
    public StoreConfig place(Path temporary) {
      String address =
          SERVED
              .computeIfAbsent(
                  temporary,
                  folder -> {
                    ServedStore served = new ServedStore(directory(folder));
                    BY_ADDRESS.put(served.address(), served);
                    return served;
                  })
              .address();
      return StoreConfig.at(address);
    }

    @Override
    public void drop(Path temporary) {
      ServedStore served = SERVED.remove(temporary);
      if (served != null) {
        BY_ADDRESS.remove(served.address());
        served.close();
      }
    }

    @Override
    public String whereHeld(Path temporary, String text) throws IOException {
      return StoredFiles.whereHeld(directory(temporary), text);
    }

    @Override
    public String flipOneBit(Path temporary, String mark, Random random) throws IOException {
      SERVED.get(temporary).closeStore();
      Path directory = directory(temporary);
      return StoredFiles.flipOneBit(directory, List.of(directory.resolve("derived")), mark, random);
    }

    @Override
    public boolean appendsUnderLock() {
      return false;
    }
  }
}
