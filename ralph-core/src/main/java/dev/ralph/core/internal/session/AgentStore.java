package dev.ralph.core.internal.session;

import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreLocation;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.socket.SocketStoreProvider;
import dev.ralph.store.socket.StoreSocket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The store as the commands of agents reach it. One that is on a server is served to them on a
 * private socket, so that they need neither a way to the server nor a password.
 */
final class AgentStore implements AutoCloseable {

  private final FrameStore store;
  private @Nullable PrivateFolder folder;
  private @Nullable StoreSocket socket;

  AgentStore(FrameStore store) {
    this.store = store;
  }

  /** Returns what an agent's commands have to be told. Serves from the first call on. */
  synchronized StoreInfo info() {
    StoreInfo info = store.info(); // fails once the store is closed
    if (socket == null && !isOnServer(info)) {
      return info;
    }
    if (socket == null) {
      try {
        folder = PrivateFolder.create();
      } catch (IOException e) {
        throw RalphException.io("can't make a folder for the agents' socket: " + e.getMessage(), e);
      }
      socket = StoreSocket.serve(store, folder.file("store"));
    }
    return socket.info();
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
