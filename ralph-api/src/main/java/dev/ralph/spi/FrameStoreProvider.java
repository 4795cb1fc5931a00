package dev.ralph.spi;

import dev.ralph.log.RalphException;
import java.nio.file.Path;

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

  /**
   * Serves an open store to other processes of this user on this machine, until the result is
   * closed. Only the provider {@code socket} of {@code ralph-store-socket} serves stores.
   *
   * @param store the store of any provider, which the caller closes after the result
   * @param path the path of the socket, in a folder that only its owner may enter
   * @return the store with the location of the socket; closing the result leaves the store open
   * @throws RalphException UNSUPPORTED if the provider or the system can't serve stores; INVALID if
   *     the path does not suit; IO if the socket can't be created
   */
  default FrameStore serve(FrameStore store, Path path) {
    throw RalphException.unsupported("the provider " + name() + " can't serve stores");
  }
}
