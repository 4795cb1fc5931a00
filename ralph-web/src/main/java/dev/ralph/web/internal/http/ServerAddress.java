package dev.ralph.web.internal.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;

/** Finds an address of this machine for a link. */
public final class ServerAddress {

  /** An address for documentation (RFC 5737), which is routed like any other; nothing is sent. */
  private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("192.0.2.1", 9);

  private ServerAddress() {}

  /**
   * Returns an address by which clients reach a server that listens on an address: the address
   * itself, or one of this machine that other machines reach if the server listens on all.
   */
  public static InetAddress reachable(InetAddress listening) {
    if (!listening.isAnyLocalAddress()) {
      return listening;
    }
    try {
      Optional<InetAddress> outgoing = outgoing();
      return outgoing.isPresent() ? outgoing.get() : ofInterface();
    } catch (SocketException e) {
      return InetAddress.getLoopbackAddress();
    }
  }

  /** Returns the address from which this machine sends to others, if it has a route to them. */
  private static Optional<InetAddress> outgoing() {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(ELSEWHERE);
      InetAddress local = socket.getLocalAddress();
      return local.isAnyLocalAddress() || local.isLoopbackAddress()
          ? Optional.empty()
          : Optional.of(local);
    } catch (IOException | UncheckedIOException noRoute) {
      return Optional.empty();
    }
  }

  private static InetAddress ofInterface() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address)
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .findFirst()
        .orElse(InetAddress.getLoopbackAddress());
  }
}
