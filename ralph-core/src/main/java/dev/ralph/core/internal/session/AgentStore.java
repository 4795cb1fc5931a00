package dev.ralph.core.internal.session;

import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.socket.internal.SocketStoreProvider;
import dev.ralph.store.socket.internal.StoreSocket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Access to the store for the commands of agents. A store on a server, or a store wrapped by the
 * host, is served to agents on a private socket. So agents need neither access to the server nor
 * its password, and their frames pass through the wrapper.
 */
public final class AgentStore implements AutoCloseable {

  private final FrameStore store;
  private final boolean located;
  private @Nullable PrivateFolder folder;
  private @Nullable StoreSocket socket;

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
   */
  synchronized StoreInfo info() {
    StoreInfo info = store.info(); // fails once the store is closed
    if (socket == null && !needsSocket(info)) {
      return info;
    }
    if (socket == null) {
      try {
        folder = PrivateFolder.create();
      } catch (IOException e) {
        throw RalphException.io(
            "can't create a folder for the agents' socket: " + e.getMessage(), e);
      }
      socket = StoreSocket.serve(store, folder.file("store"));
    }
    return socket.info();
  }

  private boolean needsSocket(StoreInfo info) {
    boolean isShared = info.capabilities().contains(Capability.MULTI_PROCESS);
    return isOnServer(info) || (isShared && !located);
  }

  private static boolean isOnServer(StoreInfo info) {
    try {
      return StoreLocation.of(info.location()).isServer()
          && !info.kind().equals(SocketStoreProvider.NAME);
    } catch (RalphException nowhere) {
      return false;
    }
  }

  @Override
  public synchronized void close() {
    if (socket != null) {
      socket.close();
    }
    if (folder != null) {
      folder.close();
    }
  }
}
