package dev.ralph.mail;

import dev.ralph.Ralph;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.chronicle.ChronicleStoreProvider;
import dev.ralph.store.file.FileStoreProvider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A process that receives and acknowledges mail of the box bob, and prints the received mails. */
final class ReceivingProcess {

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private ReceivingProcess() {}

  /**
   * Receives mail.
   *
   * @param args the kind of store; its folder; the number of mails; the number of the append at
   *     which the process is killed, or 0; {@code before} or {@code after}, relative to this append
   */
  public static void main(String[] args) throws Exception {
    StoreConfig config = StoreConfig.in(Path.of(args[1]));
    FrameStore store =
        args[0].equals("file")
            ? new FileStoreProvider().open(config)
            : new ChronicleStoreProvider().open(config);
    int fatal = Integer.parseInt(args[3]);
    try (Ralph ralph = Ralph.over(fatal == 0 ? store : mortal(store, fatal, args[4]))) {
      Mailbox bob = Mailboxes.of(ralph, "shop").box("bob");
      for (int left = Integer.parseInt(args[2]); left > 0; left--) {
        Received received = bob.receive(LEASE, PATIENCE).orElseThrow();
        received.ack();
        System.out.println(received.mail().text());
      }
    }
  }

  /** Returns a store that kills this process at one of its appends. */
  private static FrameStore mortal(FrameStore store, int fatal, String when) {
    AtomicInteger appends = new AtomicInteger();
    return (FrameStore)
        Proxy.newProxyInstance(
            FrameStore.class.getClassLoader(),
            new Class<?>[] {FrameStore.class},
            (proxy, method, arguments) -> {
              boolean dies =
                  method.getName().equals("append") && appends.incrementAndGet() == fatal;
              if (dies && when.equals("before")) {
                die();
              }
              try {
                Object result = method.invoke(store, arguments);
                if (dies) {
                  die();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void die() throws IOException, InterruptedException {
    String self = Long.toString(ProcessHandle.current().pid());
    new ProcessBuilder("kill", "-KILL", self).inheritIO().start().waitFor();
    Thread.sleep(Long.MAX_VALUE);
  }

  static Process start(Path output, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    if (args[0].equals("chronicle")) {
      command.addAll(ChronicleStoreProvider.jvmArguments());
    }
    command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ReceivingProcess.class.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }
}
