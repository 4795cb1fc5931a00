package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the suites need to know of a kind of store. */
public interface StoreFixture {

  /** Returns what opens the store. The service loader must find one of the same name. */
  FrameStoreProvider provider();

  /**
   * Returns what the store promises. The suites hold it against what the store says of itself, and
   * name every test that does not apply for want of a capability.
   */
  Set<Capability> capabilities();

  /**
   * Returns the directory that a store of its own goes to, or null for a kind that has none.
   *
   * @param temporary an empty directory of the test that is deleted after it
   */
  default @Nullable Path directory(Path temporary) {
    return temporary.resolve("store");
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
