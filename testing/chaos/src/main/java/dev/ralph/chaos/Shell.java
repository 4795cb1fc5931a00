package dev.ralph.chaos;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;

/** Runs system commands. */
final class Shell {

  private Shell() {}

  /**
   * Runs a command and returns its output.
   *
   * @throws IOException if the command fails, with its output
   */
  static String run(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(Redirect.PIPE).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.onExit().join().exitValue();
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " failed with " + code + ": " + output);
    }
    return output;
  }
}
