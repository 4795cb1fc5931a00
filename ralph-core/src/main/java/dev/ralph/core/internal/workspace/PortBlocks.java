package dev.ralph.core.internal.workspace;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports for the servers that agents start, so that two never start theirs on the same one. Each
 * agent has a block of ports in a row, the same until this is closed. The last port of a block is
 * held by this process, so that no other process gives the block away; it listens to nobody.
 */
final class PortBlocks implements AutoCloseable {

  /** The variable that holds the first port of a block. */
  static final String VARIABLE = "RALPH_PORT_BASE";

  /** How many there are in a block, with the one that is held. */
  static final int SIZE = 10;

  private static final int LAST_PORT = 65_535;

  private final int base;
  private final Map<Integer, Integer> firsts = new ConcurrentHashMap<>();
  private final List<Socket> held = new ArrayList<>();

  PortBlocks(int base) {
    this.base = base;
  }

  /**
   * Returns the variables of an agent.
   *
   * @throws RalphException INVALID if no block is free
   */
  synchronized Map<String, String> variables(int agent) {
    int first = firsts.computeIfAbsent(agent, this::take);
    return Map.of(VARIABLE, Integer.toString(first));
  }

  /** Takes a block, the one that an agent of that number had before, if it is free. */
  private int take(int agent) {
    for (int first = base + (agent - 1) * SIZE; first + SIZE <= LAST_PORT + 1; first += SIZE) {
      if (isFree(first) && hold(first + SIZE - 1)) {
        return first;
      }
    }
    throw RalphException.invalid(
        "no "
            + SIZE
            + " ports in a row are free from "
            + base
            + " on for agent "
            + agent
            + "; begin at a lower one");
  }

  private static boolean isFree(int first) {
    for (int port = first; port < first + SIZE; port++) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(port)); // on all addresses, as a server may do
      } catch (IOException taken) {
        return false;
      }
    }
    return true;
  }

  private boolean hold(int port) {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      held.add(socket);
      return true;
    } catch (IOException taken) {
      close(socket);
      return false;
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is given back when the process ends.
    }
  }

  @Override
  public synchronized void close() {
    held.forEach(PortBlocks::close);
    held.clear();
    firsts.clear();
  }
}
