package dev.ralph.core.internal.session;

import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.internal.ServiceSearch;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Access to the store for the commands of agents. A store on a server, or a store wrapped by the
 * host, is served to agents on a private socket. So agents need neither access to the server nor
 * its password, and their frames pass through the wrapper. {@code ralph-store-socket} serves the
 * store.
 */
public final class AgentStore implements AutoCloseable {

  /** The name of the provider that serves stores. */
  private static final String SOCKET = "socket";

  private final FrameStore store;
  private final boolean located;
  private @Nullable PrivateFolder folder;
  private @Nullable FrameStore served;

  private AgentStore(FrameStore store, boolean located) {
    this.store = store;
    this.located = located;
  }

  /** Creates access to a store; other processes can open the store at its location. */
  public static AgentStore located(FrameStore store) {
    return new AgentStore(store, true);
  }

  /** Creates access to a store whose location may be that of a wrapped store. */
  public static AgentStore served(FrameStore store) {
    return new AgentStore(store, false);
  }

  /**
   * Returns the connection data for the commands of agents. Starts the socket server on the first
   * call, if needed.
   *
   * @throws RalphException UNSUPPORTED if the module with the socket server is missing
   */
  synchronized StoreInfo info() {
    StoreInfo info = store.info(); // fails once the store is closed
    if (served == null && !needsSocket(info)) {
      return info;
    }
    if (served == null) {
      FrameStoreProvider server = server(info);
      try {
        folder = PrivateFolder.create();
      } catch (IOException e) {
        throw RalphException.io(
            "can't create a folder for the agents' socket: " + e.getMessage(), e);
      }
      served = server.serve(store, folder.file("store"));
    }
    return served.info();
  }

  private static FrameStoreProvider server(StoreInfo info) {
    for (FrameStoreProvider provider :
        ServiceSearch.find(FrameStoreProvider.class, "a provider of stores")) {
      if (provider.name().equals(SOCKET)) {
        return provider;
      }
    }
    throw RalphException.unsupported(
        "agents' processes can't reach the store "
            + info.location()
            + ", because the module ralph-store-socket is missing; add the dependency"
            + " dev.ralph:ralph-store-socket to the program");
  }

  private boolean needsSocket(StoreInfo info) {
    boolean isShared = info.capabilities().contains(Capability.MULTI_PROCESS);
    return isOnServer(info) || (isShared && !located);
  }

  private static boolean isOnServer(StoreInfo info) {
    try {
      return StoreLocation.of(info.location()).isServer() && !info.kind().equals(SOCKET);
    } catch (RalphException nowhere) {
      return false;
    }
  }

  @Override
  public synchronized void close() {
    if (served != null) {
      served.close();
    }
    if (folder != null) {
      folder.close();
    }
  }
}
