package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

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

  @Override
  public FrameStore open(StoreConfig config) {
    String address = config.server();
    if (address == null) {
      throw RalphException.invalid("the location of a store on a socket is socket:///PATH");
    }
    return SocketFrameStore.open(new Connections(path(address), address));
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
