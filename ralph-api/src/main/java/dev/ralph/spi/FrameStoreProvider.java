package dev.ralph.spi;

/**
 * Opens stores of one kind. {@link java.util.ServiceLoader} finds providers, which then need a
 * public constructor without parameters. A program can also pass providers to {@link
 * dev.ralph.Ralph.Builder#providers}. Safe for use by many threads.
 */
public interface FrameStoreProvider {

  /**
   * Returns the name of the kind of store, such as {@code file}: two or more characters of {@code
   * a-z}, {@code 0-9} and {@code -}. The name selects the provider and is unique.
   */
  String name();

  /**
   * Opens a store, and creates a missing store if {@link StoreConfig#mayCreate()} is true. Stores
   * on this machine take the ids and times of new frames from {@link StoreConfig#clock()}.
   *
   * @return the open store, which the caller closes
   * @throws dev.ralph.log.NotFoundException if the store does not exist and may not be created
   * @throws dev.ralph.log.DamagedException if the store is too damaged to open
   * @throws dev.ralph.log.LockedException if the store allows one process at a time and is already
   *     open in this process or another
   * @throws dev.ralph.log.RalphException INVALID if the place does not suit this kind of store, or
   *     is a folder with other files, which stay unchanged; UNSUPPORTED if a newer version wrote
   *     the store; IO if reading or writing fails
   */
  FrameStore open(StoreConfig config);
}
