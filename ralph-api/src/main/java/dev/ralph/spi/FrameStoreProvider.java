package dev.ralph.spi;

/**
 * Opens stores of one kind. {@link java.util.ServiceLoader} finds providers; a host may pass one.
 */
public interface FrameStoreProvider {

  /** Returns the name of the kind of store, such as {@code file}. */
  String name();

  /**
   * Opens a store.
   *
   * @throws dev.ralph.log.NotFoundException if the store does not exist and may not be created
   * @throws dev.ralph.log.DamagedException if the store is too damaged to open
   * @throws dev.ralph.log.LockedException if the store allows one process at a time and is already
   *     open in this process or another
   * @throws dev.ralph.log.RalphException INVALID if the place has no store of this kind;
   *     UNSUPPORTED if a newer version wrote the store; IO if reading or writing fails
   */
  FrameStore open(StoreConfig config);
}
