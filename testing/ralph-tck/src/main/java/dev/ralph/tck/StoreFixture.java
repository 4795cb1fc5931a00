package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.StoredFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes a kind of store to the suites. */
public interface StoreFixture {

  /**
   * Returns the provider that opens the store. The service loader must find a provider of the same
   * name.
   */
  FrameStoreProvider provider();

  /**
   * Returns the capabilities of the store. The suites compare them with the store's own
   * declaration, and report each test that does not apply because a capability is missing.
   */
  Set<Capability> capabilities();

  /**
   * Returns the location of a test's store: equal for equal directories, and different for
   * different ones. A store on a server derives a name from the directory's path.
   *
   * @param temporary an empty directory of the test, deleted after the test
   */
  default StoreConfig place(Path temporary) {
    return StoreConfig.in(temporary.resolve("store"));
  }

  /** Returns the address of the server that holds the stores, or null for local stores. */
  default @Nullable InetSocketAddress server() {
    return null;
  }

  /**
   * Returns the store at {@link #place} when reached through a local port that forwards to the
   * {@link #server}; the TCK closes connections through this port. Called only if there is a
   * server.
   */
  default StoreConfig placeBy(Path temporary, int port) {
    throw new UnsupportedOperationException("a store on a server must implement placeBy");
  }

  /**
   * Waits until the requests of killed processes have ended, because a server may still process
   * their last request. No other process has a store open meanwhile.
   */
  default void awaitTheEndOfTheKilled() {}

  /**
   * Drops the store at {@link #place}; called after the store is closed. The TCK deletes the
   * directory itself.
   */
  default void drop(Path temporary) {}

  /**
   * Returns the place at which the store at {@link #place} still contains a text, in any form
   * readable from the bytes, or null for none. Called after the text was erased. A store on a
   * server searches all of its tables.
   */
  default @Nullable String whereHeld(Path temporary, String text) throws IOException {
    return StoredFiles.whereHeld(place(temporary).directory(), text);
  }

  /**
   * Flips one bit of the stored data of the store at {@link #place}, like a failing disk,
   * preferably within a few bytes of the marked text. The store is closed meanwhile.
   *
   * @return a description of the bit, or null if the bits of this kind of store are not accessible
   */
  default @Nullable String flipOneBit(Path temporary, String mark, Random random)
      throws IOException {
    Path directory = place(temporary).directory();
    return directory == null
        ? null
        : StoredFiles.flipOneBit(directory, derivedFiles(directory), mark, random);
  }

  /** Returns whether saved snapshots can be loaded as long as nothing is deleted. */
  default boolean keepsSnapshots() {
    return true;
  }

  /**
   * Returns whether a process stopped during an append blocks other appenders. Their appends must
   * then fail with LOCKED.
   */
  default boolean appendsUnderLock() {
    return true;
  }

  /**
   * Returns the files derived from the log in a store's directory, or directories with only such
   * files. Each of these files may be deleted at any time, even while the store is in use.
   *
   * @param directory the store's directory
   */
  default List<Path> derivedFiles(Path directory) {
    return List.of();
  }

  /**
   * Returns the JVM arguments that the store needs. Processes that the TCK starts get these
   * arguments, but not the system properties of the test.
   */
  default List<String> jvmArguments() {
    return List.of();
  }
}
