package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * Opens stores that a {@link StoreSocket} serves, by locations of the form {@code socket:///PATH}.
 * The provider never creates a store. Frames get their times from the clock of the served store.
 */
public final class SocketStoreProvider implements FrameStoreProvider {

  /** The name of the provider, with which a location begins. */
  public static final String NAME = "socket";

  private static final String SERVER = "//";

  /** Creates a provider, which has no state. */
  public SocketStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  /** Returns the location of the store served on a socket. */
  static String address(Path socket) {
    return NAME + ":" + SERVER + socket.toAbsolutePath();
  }

  /** Returns the information of a store as clients of its socket see it. */
  static StoreInfo served(StoreInfo store, String location) {
    Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    capabilities.addAll(store.capabilities());
    capabilities.remove(Capability.COMPACTS); // left to the process with the store
    return new StoreInfo(
        store.storeId(),
        NAME,
        location,
        capabilities,
        Math.min(store.maxContentBytes(), Wire.LONGEST),
        store.maxBatchFrames());
  }

  @Override
  public FrameStore open(StoreConfig config) {
    String address = config.server();
    if (address == null) {
      throw RalphException.invalid("the location of a store on a socket is socket:///PATH");
    }
    return SocketFrameStore.open(new Connections(path(address), address));
  }

  @Override
  public StoreSocket serve(FrameStore store, Path path) {
    return StoreSocket.serve(store, path);
  }

  private static Path path(String address) {
    String text = address.substring(address.indexOf(':') + 1 + SERVER.length());
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      // reported below
    }
    throw RalphException.invalid(
        RalphException.quote(address) + " has no absolute path; write socket:///PATH");
  }
}
