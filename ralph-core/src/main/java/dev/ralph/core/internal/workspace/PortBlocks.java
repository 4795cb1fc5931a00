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
 * Blocks of ports for the servers of agents, so that no two servers use the same port. Each agent
 * has one block of consecutive ports until {@link #close}. This process binds the last port of each
 * block without listening, so that no other process assigns the block.
 */
final class PortBlocks implements AutoCloseable {

  /** The variable with the first port of a block. */
  static final String VARIABLE = "RALPH_PORT_BASE";

  /** The number of ports in a block, including the bound port. */
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

  /** Assigns a free block, if possible the usual block of the agent's number. */
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
            + " upwards for agent "
            + agent
            + "; set a lower first port");
  }

  private static boolean isFree(int first) {
    for (int port = first; port < first + SIZE; port++) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(port)); // on all addresses, like a server
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
      // The port is released when the process ends.
    }
  }

  @Override
  public synchronized void close() {
    held.forEach(PortBlocks::close);
    held.clear();
    firsts.clear();
  }
}
