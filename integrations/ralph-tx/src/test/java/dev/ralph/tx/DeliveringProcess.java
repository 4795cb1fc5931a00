package dev.ralph.tx;

import dev.ralph.Ralph;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A process that delivers messages to agents. Each agent has a file with one line per message. */
final class DeliveringProcess {

  /** An agent whose deliveries never end. */
  static final String STUCK = "stuck";

  private DeliveringProcess() {}

  /**
   * Delivers until the process is killed.
   *
   * @param args the project folder, and the agents
   */
  public static void main(String[] args) throws Exception {
    Path project = Path.of(args[0]);
    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"));
        Tx tx = Tx.of(ralph, TxFolder.of(project.resolve(TxFolder.USUAL)), System.out::println)) {
      for (String agent : List.of(args).subList(1, args.length)) {
        FileOutputStream out = new FileOutputStream(project.resolve("got-" + agent).toFile(), true);
        tx.deliver(
            agent,
            delivery -> {
              out.write(line(delivery));
              if (agent.equals(STUCK)) {
                Thread.sleep(Long.MAX_VALUE);
              }
            });
      }
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  private static byte[] line(TxSink.Delivery delivery) {
    String line = delivery.file().id() + (delivery.isRepeat() ? " again" : "") + "\n";
    return line.getBytes(StandardCharsets.UTF_8);
  }

  static Process start(Path project, String... agents) throws IOException {
    String[] command = new String[6 + agents.length];
    command[0] = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    command[1] = "-XX:TieredStopAtLevel=1";
    command[2] = "-cp";
    command[3] = System.getProperty("java.class.path");
    command[4] = DeliveringProcess.class.getName();
    command[5] = project.toString();
    System.arraycopy(agents, 0, command, 6, agents.length);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(project.resolve("output").toFile()))
        .start();
  }
}
