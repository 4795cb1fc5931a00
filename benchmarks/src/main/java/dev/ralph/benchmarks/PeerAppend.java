package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.spi.Scru128;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Appends frames one by one, each after the acknowledgement of the last. */
final class PeerAppend {

  private static final int WARMUP_MILLIS = 3_000;
  private static final String SUBJECT = Logs.topic(0).name();

  private PeerAppend() {}

  private interface Appender {
    void append(int n) throws IOException, JetStreamApiException;
  }

  /**
   * Prints frames per second, the CPU milliseconds per frame including the server, and the 99th
   * percentile of the append times in milliseconds. Arguments: {@code file DIRECTORY SYNCED THREADS
   * MILLIS}, or {@code nats ADDRESS PID_OF_SERVER THREADS MILLIS}.
   */
  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[3]);
    int millis = Integer.parseInt(arguments[4]);
    if (arguments[0].equals("file")) {
      boolean synced = Boolean.parseBoolean(arguments[2]);
      try (Ralph ralph = Ralph.open(Path.of(arguments[1]))) {
        Scru128 ids = new Scru128(Clock.systemUTC());
        Appender appender =
            n ->
                ralph
                    .log()
                    .append(
                        Batch.of(ids.next(), List.of(Logs.Writer.add(Logs.topic(0), n)))
                            .synced(synced));
        measure(threads, millis, () -> appender, () -> Usage.ofThis().cpuMillis());
      }
      return;
    }
    long server = Long.parseLong(arguments[2]);
    List<Connection> connections = new ArrayList<>();
    try {
      connect(arguments[1], connections)
          .jetStreamManagement()
          .addStream(
              StreamConfiguration.builder()
                  .name("frames")
                  .subjects("ralph.>")
                  .storageType(StorageType.File)
                  .build());
      measure(
          threads,
          millis,
          () -> publisher(connect(arguments[1], connections)),
          () -> Usage.ofThis().cpuMillis() + Usage.of(server).cpuMillis());
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static Connection connect(String address, List<Connection> connections)
      throws IOException, InterruptedException {
    Connection connection = Nats.connect(address);
    connections.add(connection);
    return connection;
  }

  /** Publishes the line that the file store would write. */
  private static Appender publisher(Connection connection) throws IOException {
    JetStream stream = connection.jetStream();
    BareLines lines = BareLines.byHand(SUBJECT);
    return n -> {
      lines.clear();
      lines.add(n, 1, 1);
      ByteBuffer line = lines.bytes();
      byte[] bytes = new byte[line.remaining()];
      line.get(bytes);
      stream.publish(SUBJECT, bytes);
    };
  }

  private interface Opening {
    Appender open() throws IOException, InterruptedException;
  }

  private interface Cpu {
    double millis();
  }

  private static void measure(int threads, int millis, Opening opening, Cpu cpu)
      throws IOException, InterruptedException, ExecutionException {
    List<FutureTask<double[]>> tasks = new ArrayList<>();
    long from = System.nanoTime() + WARMUP_MILLIS * 1_000_000L;
    long to = from + millis * 1_000_000L;
    for (int i = 0; i < threads; i++) {
      Appender appender = opening.open();
      FutureTask<double[]> task = new FutureTask<>(() -> appendUntil(appender, from, to));
      tasks.add(task);
      new Thread(task, "appender-" + i).start();
    }
    Thread.sleep(Math.max(0, (from - System.nanoTime()) / 1_000_000));
    double cpuBefore = cpu.millis();
    Thread.sleep(Math.max(0, (to - System.nanoTime()) / 1_000_000));
    double cpuAfter = cpu.millis();
    double[] all = {};
    for (FutureTask<double[]> task : tasks) {
      double[] times = task.get();
      int before = all.length;
      all = Arrays.copyOf(all, before + times.length);
      System.arraycopy(times, 0, all, before, times.length);
    }
    System.out.println(
        all.length * 1000.0 / millis
            + " "
            + (cpuAfter - cpuBefore) / Math.max(1, all.length)
            + " "
            + Measured.percentile(all, 0.99));
  }

  /** Returns the milliseconds of each append that started in the given time range. */
  private static double[] appendUntil(Appender appender, long from, long to)
      throws IOException, JetStreamApiException {
    double[] times = new double[1024];
    int count = 0;
    int n = 0;
    for (long begin = System.nanoTime(); begin < to; begin = System.nanoTime()) {
      appender.append(++n);
      if (begin >= from) {
        times = count == times.length ? Arrays.copyOf(times, count * 2) : times;
        times[count++] = (System.nanoTime() - begin) / 1e6;
      }
    }
    return Arrays.copyOf(times, count);
  }
}
