package dev.ralph.agentmail;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A separate process that receives mail, like an agent's command. */
final class MailJvm {

  private MailJvm() {}

  /**
   * Starts a process that receives mail.
   *
   * @param before a command prefix, for example of a tracer
   * @param repository the repository
   * @param count the number of messages to receive
   * @param received the file to which the process appends an id per line
   */
  static Process start(List<String> before, Path repository, int count, Path received)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", Main.class.getName()));
    command.addAll(List.of(repository.toString(), String.valueOf(count), received.toString()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.to(new File(received + ".said")));
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return builder.start();
  }

  /** Waits until the process has exited with success. */
  static void awaitSuccess(Process process, Path received) throws Exception {
    int code = process.waitFor();
    assertThat(code).as(Files.readString(Path.of(received + ".said"))).isZero();
  }

  /** Receives mail for bob. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) {
      AgentMail mail = AgentMail.of(Path.of(args[0]));
      Path received = Path.of(args[2]);
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        mail.receive("bob", message -> note(received, message.id()));
      }
    }

    private static void note(Path received, String id) {
      try {
        Files.writeString(
            received, id + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
