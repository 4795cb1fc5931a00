package dev.ralph.store.socket;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreLocation;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Opens what a {@link StoreSocket} serves: {@code socket:///PATH}. Nothing is ever made, and time
 * is that of the store which is served.
 */
public final class SocketStoreProvider implements FrameStoreProvider {

  /** The name of this kind of store. */
  public static final String NAME = "socket";

  private static final String SERVER = "//";

  /** Makes the provider; it has no state. */
  public SocketStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  /** Returns the address of what is served there. */
  static String address(Path socket) {
    return NAME + ":" + SERVER + socket.toAbsolutePath();
  }

  @Override
  public FrameStore open(StoreConfig config) {
    String address = config.server();
    if (address == null) {
      throw RalphException.invalid("a store behind a socket is written socket:///PATH");
    }
    return SocketFrameStore.open(new Connections(path(address), address));
  }

  private static Path path(String address) {
    String text = StoreLocation.of(address).place().substring(SERVER.length());
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      // said below
    }
    throw RalphException.invalid(
        RalphException.quote(address) + " names no socket by its whole path; write socket:///PATH");
  }
}
