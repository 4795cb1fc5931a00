package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import dev.ralph.store.socket.internal.StoreSocket;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** A process that serves a store on a socket until the end of the input. */
public final class StoreServer {

  private StoreServer() {}

  /**
   * Runs the process.
   *
   * @param args the store's address and the path of the socket
   */
  public static void main(String[] args) throws IOException {
    try (FrameStore store = Stores.open(args[0]);
        StoreSocket socket = StoreSocket.serve(store, Path.of(args[1]))) {
      System.out.println(socket.info().location());
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
