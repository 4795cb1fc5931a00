package dev.ralph.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A proxy in front of a server. It can hang like a stopped process and close like a killed process.
 */
final class PausingProxy implements AutoCloseable {

  private final int target;
  private final int port;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger streams = new AtomicInteger();
  private volatile boolean isPaused;
  private volatile ServerSocket listener;

  PausingProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    this.port = listener.getLocalPort();
    start(this::accept);
  }

  int port() {
    return port;
  }

  /** Returns the number of open client connections. */
  int connections() {
    return streams.get();
  }

  void pause() {
    isPaused = true;
  }

  void resume() {
    lock.lock();
    try {
      isPaused = false;
      resumed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes all connections and the port. */
  void kill() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Opens the port again. */
  void restart() throws IOException {
    listener = new ServerSocket(port, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private void accept() {
    ServerSocket present = listener;
    try {
      while (true) {
        Socket client = present.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(client);
        sockets.add(server);
        streams.incrementAndGet();
        start(
            () -> {
              copy(client, server);
              streams.decrementAndGet();
            });
        start(() -> copy(server, client));
      }
    } catch (IOException closed) {
      // The test has closed the port.
    }
  }

  private void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[64 * 1024];
      for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
        awaitResumed();
        out.write(bytes, 0, length);
      }
    } catch (IOException closed) {
      // One side has closed the connection.
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void awaitResumed() {
    lock.lock();
    try {
      while (isPaused) {
        resumed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "pausing-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    resume();
    try {
      kill();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
