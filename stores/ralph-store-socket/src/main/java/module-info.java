/** Serves a store on a Unix domain socket, and opens stores served so. */
@SuppressWarnings("module") // the modules in the "to" clauses are built later
module dev.ralph.store.socket {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.store.socket.internal to
      dev.ralph.cli,
      dev.ralph.core;

  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.socket.internal.SocketStoreProvider;
}
