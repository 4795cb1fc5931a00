package dev.ralph.mcp;

import dev.ralph.Ralph;
import dev.ralph.ToolSettings;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;

/** A server in a separate process, and the client connected to it. */
final class ServerProcess {

  final Process process;
  final LineClient client;

  private ServerProcess(Process process) {
    this.process = process;
    this.client = new LineClient(process.getInputStream(), process.getOutputStream());
  }

  static ServerProcess start(Path store, Duration lease) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServerProcess.class.getName(),
                store.toString(),
                Long.toString(lease.toMillis()))
            .redirectError(Redirect.INHERIT)
            .start();
    ServerProcess started = new ServerProcess(process);
    started.client.initialize();
    return started;
  }

  /** Kills the process, which cannot intercept the signal. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /**
   * @param args the store and the lease in milliseconds
   */
  public static void main(String[] args) {
    try (Ralph ralph = Ralph.open(Path.of(args[0]));
        SessionServer server =
            SessionServer.over(() -> ralph)
                .session("s")
                .tools(
                    ToolSettings.STANDARD.messageLease(Duration.ofMillis(Long.parseLong(args[1]))))
                .build()) {
      server.serve(
          new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }
  }
}
