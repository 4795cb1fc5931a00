package dev.ralph.spi;

/** Opens stores of one kind. Found by {@link java.util.ServiceLoader}, or given by the host. */
public interface FrameStoreProvider {

  /** Returns the name that the kind is chosen by, such as {@code file}. */
  String name();

  /**
   * Opens a store.
   *
   * @throws dev.ralph.log.NotFoundException if it does not exist and may not be created
   * @throws dev.ralph.log.DamagedException if it can't be made out
   * @throws dev.ralph.log.LockedException if the store is for one process at a time and is open
   *     already, in this process or another
   * @throws dev.ralph.log.RalphException INVALID if what is there is not a store of this kind;
   *     UNSUPPORTED if a newer version wrote it; IO if reading or writing fails
   */
  FrameStore open(StoreConfig config);
}
