package dev.ralph.tx;

import dev.ralph.Ralph;
import java.io.IOException;
import java.nio.file.Path;

/** A process that types messages into the tmux session of an agent, as the command does. */
final class TypingProcess {

  private TypingProcess() {}

  /**
   * Types messages until the process is killed.
   *
   * @param args the project folder, the socket of the tmux server, and the agent
   */
  public static void main(String[] args) throws Exception {
    Path project = Path.of(args[0]);
    TxAddress agent = TxAddress.parse(args[2]);
    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"));
        Tx tx = Tx.of(ralph, TxFolder.of(project.resolve(TxFolder.USUAL)), System.out::println)) {
      tx.deliver(agent, TxSink.tmux(agent, Path.of(args[1])));
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  static Process start(Path project, Path socket, String agent) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            TypingProcess.class.getName(),
            project.toString(),
            socket.toString(),
            agent)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(project.resolve("output").toFile()))
        .start();
  }
}
