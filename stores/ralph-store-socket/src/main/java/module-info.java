/** Serves a store on a Unix domain socket, and opens stores served so. */
module dev.ralph.store.socket {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.store.socket;

  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.socket.SocketStoreProvider;
}
