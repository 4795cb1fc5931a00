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

/** What the suites need to know of a kind of store. */
public interface StoreFixture {

  /** Returns what opens the store. The service loader must find one of the same name. */
  FrameStoreProvider provider();

  /**
   * Returns what the store promises. The suites hold it against what the store says of itself, and
   * name every test that does not apply because a capability is missing.
   */
  Set<Capability> capabilities();

  /**
   * Returns where the store of a test is: the same for the same directory, and another for another
   * one. A store on a server takes a name that it makes of the directory's path.
   *
   * @param temporary an empty directory of the test that is deleted after it
   */
  default StoreConfig place(Path temporary) {
    return StoreConfig.in(temporary.resolve("store"));
  }

  /** Returns where the server is that holds the stores, or null if they are on this machine. */
  default @Nullable InetSocketAddress server() {
    return null;
  }

  /**
   * Returns the store at {@link #place}, reached by way of a port of this machine that leads to the
   * {@link #server}: the kit cuts what goes through it. Asked only where there is a server.
   */
  default StoreConfig placeBy(Path temporary, int port) {
    throw new UnsupportedOperationException("a store on a server says how it is reached");
  }

  /**
   * Returns once nothing is under way any more of what killed processes asked for: a server may
   * still be at their last request. Nobody else has a store open meanwhile.
   */
  default void awaitTheEndOfTheKilled() {}

  /**
   * Drops what {@link #place} led to; called once the store is closed. What is in the directory is
   * deleted by the kit.
   */
  default void drop(Path temporary) {}

  /**
   * Returns where the store at {@link #place} still holds a text, in any form that a reader of its
   * bytes would find, or null if it does not: asked after that text was erased. A store on a server
   * looks through all its tables.
   */
  default @Nullable String whereHeld(Path temporary, String text) throws IOException {
    return StoredFiles.whereHeld(place(temporary).directory(), text);
  }

  /**
   * Flips one bit of what the store at {@link #place} has stored, as a failing disk would do, if
   * possible within a few bytes of the marked text; the store is closed meanwhile.
   *
   * @return which bit it was, or null if bits of this kind of store can't be reached
   */
  default @Nullable String flipOneBit(Path temporary, String mark, Random random)
      throws IOException {
    Path directory = place(temporary).directory();
    return directory == null
        ? null
        : StoredFiles.flipOneBit(directory, derivedFiles(directory), mark, random);
  }

  /** Returns whether a snapshot that was saved can be loaded as long as nothing is deleted. */
  default boolean keepsSnapshots() {
    return true;
  }

  /**
   * Returns whether a process that is stopped in the middle of an append keeps others from
   * appending, so that they must fail with LOCKED.
   */
  default boolean appendsUnderLock() {
    return true;
  }

  /**
   * Returns the files in a store's directory that are derived from the log, or the directories that
   * hold nothing else: each file may be deleted at any moment, even while the store is in use.
   *
   * @param directory the store's
   */
  default List<Path> derivedFiles(Path directory) {
    return List.of();
  }

  /**
   * Returns the arguments that a JVM needs to run the store. The other processes that the kit
   * starts get these, and none of the system properties of the test.
   */
  default List<String> jvmArguments() {
    return List.of();
  }
}
