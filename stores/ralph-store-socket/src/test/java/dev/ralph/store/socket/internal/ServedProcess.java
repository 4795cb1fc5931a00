package dev.ralph.store.socket.internal;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A separate process that serves a store or appends to a served store. */
public final class ServedProcess {

  private ServedProcess() {}

  /**
   * Serves a store until the process ends, or appends a frame.
   *
   * @param args {@code serve STORE SOCKET} or {@code append ADDRESS}
   */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("serve")) {
      FrameStore store = new FileStoreProvider().open(StoreConfig.in(Path.of(args[1])));
      StoreSocket.serve(store, Path.of(args[2]));
      System.out.println("serving");
      Thread.sleep(Long.MAX_VALUE);
    } else {
      StoreConfig config = StoreConfig.at(args[1]);
      try (FrameStore store = new SocketStoreProvider().open(config)) {
        Draft draft = Draft.of(Topic.of("a.b"), Meta.empty(), "text");
        store.append(Batch.of("p" + ProcessHandle.current().pid(), List.of(draft)));
        System.out.println("ack");
      }
    }
  }

  /** Starts a process; {@code before} is a command prefix. */
  static Process start(List<String> before, String... args) throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServedProcess.class.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Waits for the end of a process; returns its output. */
  static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Waits until a process prints a line. */
  static void await(Process process, String line) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String said = lines.readLine(); !line.equals(said); said = lines.readLine()) {
      if (said == null) {
        throw new AssertionError("it ended");
      }
    }
  }
}
