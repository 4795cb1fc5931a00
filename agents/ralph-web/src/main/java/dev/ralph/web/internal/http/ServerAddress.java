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

  /** An address for documentation (RFC 5737), routed like any other address. No data is sent. */
  private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("192.0.2.1", 9);

  private ServerAddress() {}

  /**
   * Returns an address by which clients reach a server that listens on an address. Returns an
   * address for other machines if the server listens on all addresses, or else the address itself.
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

  /** Returns the local address for traffic to other machines, or empty without a route. */
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
