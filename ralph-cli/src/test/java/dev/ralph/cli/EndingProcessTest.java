package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.terminal.ProcessEnd;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A command in a process that is terminated before the command has registered its shutdown hook.
 */
@Timeout(300)
class EndingProcessTest {

  /** The main class of the process: it starts the command after the shutdown has begun. */
  static final class Ending {
    public static void main(String[] words) throws Exception {
      Thread command = Thread.currentThread();
      Thread untilItsEnd =
          new Thread(
              () -> {
                while (command.isAlive() && !isAtItsEnd(command)) {
                  Thread.onSpinWait();
                }
              });
      Runtime.getRuntime().addShutdownHook(untilItsEnd);
      Thread signal = new Thread(() -> Runtime.getRuntime().exit(143));
      signal.setDaemon(true);
      signal.start();
      while (!ProcessEnd.isUnderWay()) {
        Thread.onSpinWait();
      }
      Main.main(words);
    }

    private static boolean isAtItsEnd(Thread command) {
      return Stream.of(command.getStackTrace())
          .anyMatch(
              call ->
                  call.getClassName().equals(Runtime.class.getName())
                          && call.getMethodName().equals("exit")
                      || call.getClassName().equals(ProcessEnd.class.getName())
                          && call.getMethodName().equals("await"));
    }
  }

  @TempDir Path folder;

  @Test
  void earlySignal_setsExitCodeSilently() throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Dralph.launcher=/bin/true",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Ending.class.getName(),
                    "build",
                    "-n",
                    "a",
                    "-p",
                    "work",
                    "--agent",
                    "true"))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();

    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isEqualTo(143);
    assertThat(said.lines()).allMatch(line -> line.startsWith("ralph: created the store "));
  }
}
