package dev.ralph.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The service called by steps. Like a bank's payments, its effects are idempotent by key. The
 * service sometimes kills the calling process: before the effect, before the answer, or shortly
 * after the answer.
 */
final class StepTarget implements AutoCloseable {

  private static final int ONE_KILL_IN = 5;
  private static final int LONGEST_MOMENT_MICROS = 5_000;

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newCachedThreadPool();

  // Guarded by this object's lock.
  private final SplittableRandom random;
  private final Map<String, String> effects = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private int askedAgain;
  private int repeated;

  private enum Kill {
    BEFORE_THE_EFFECT,
    BEFORE_THE_ANSWER,
    AFTER_THE_ANSWER
  }

  StepTarget(long seed) throws IOException {
    random = new SplittableRandom(seed);
    threads.execute(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /**
   * Requests an effect from a separate process.
   *
   * @param port the port of the service
   * @param key the key of the effect
   * @param again whether the effect may already exist
   * @return the result, which is different for each effect
   */
  static String ask(int port, String key, boolean again) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String line = key + " " + ProcessHandle.current().pid() + " " + again + "\n";
      socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      String answer = reader(socket).readLine();
      if (answer == null) {
        throw new IOException("no answer");
      }
      return answer;
    }
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        threads.execute(() -> answer(socket));
      }
    } catch (SocketException closed) {
      // the service was closed
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(Socket accepted) {
    try (Socket socket = accepted) {
      String line = reader(socket).readLine();
      if (line == null) {
        return; // the caller was killed before its request
      }
      String[] request = line.split(" ");
      Kill kill = kill();
      if (kill == Kill.BEFORE_THE_EFFECT) {
        kill(request[1]);
      }
      String answer = effect(request[0], Boolean.parseBoolean(request[2]), kill);
      if (kill == Kill.BEFORE_THE_ANSWER) {
        kill(request[1]);
      }
      if (answer != null) {
        socket.getOutputStream().write((answer + "\n").getBytes(StandardCharsets.US_ASCII));
      }
      if (kill == Kill.AFTER_THE_ANSWER) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(moment()));
        kill(request[1]);
      }
    } catch (IOException killed) {
      // the caller was killed
    }
  }

  private synchronized @Nullable Kill kill() {
    return random.nextInt(ONE_KILL_IN) == 0
        ? Kill.values()[random.nextInt(Kill.values().length)]
        : null;
  }

  private synchronized int moment() {
    return random.nextInt(LONGEST_MOMENT_MICROS);
  }

  private static void kill(String pid) {
    ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
  }

  /**
   * Creates the effect unless present; returns null and does nothing if the caller was killed
   * before.
   */
  private synchronized @Nullable String effect(String key, boolean again, @Nullable Kill kill) {
    if (again) {
      askedAgain++;
    } else {
      asked.add(key);
    }
    if (kill == Kill.BEFORE_THE_EFFECT) {
      return null;
    }
    String before = effects.get(key);
    if (before != null) {
      repeated++;
      return before;
    }
    String made = Long.toHexString(random.nextLong());
    effects.put(key, made);
    return made;
  }

  /** Returns the results of the effects by key. */
  synchronized Map<String, String> effects() {
    return Map.copyOf(effects);
  }

  /** Returns the keys of the requests for effects that were expected not to exist. */
  synchronized List<String> asked() {
    return List.copyOf(asked);
  }

  /** Returns the number of requests for possibly existing effects. */
  synchronized int askedAgain() {
    return askedAgain;
  }

  /** Returns the number of requests whose effect existed. */
  synchronized int repeated() {
    return repeated;
  }

  @Override
  public void close() throws IOException {
    server.close();
    threads.shutdown();
  }
}
