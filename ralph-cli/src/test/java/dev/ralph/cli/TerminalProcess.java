package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The command as a process: in a pipe, or on a pseudo terminal of 20 rows and 60 columns, created
 * by script(1).
 */
public final class TerminalProcess {

  private static final long DEADLINE_SECONDS = 180;

  /** The escape sequences that draw a page. The output may contain no other escape sequences. */
  public static final Pattern DRAWING =
      Pattern.compile("\u001b\\[(\\?1049[hl]|\\?25[hl]|\\?7[hl]|2?J|H|K|\\d+m)");

  /** The escape sequences that restore the screen. */
  public static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  private final Process process;
  private final StringBuffer seen = new StringBuffer();
  private String modes = "";
  private String terminal = "";

  private TerminalProcess(Path folder, Map<String, String> variables, List<String> command)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().putAll(variables);
    process = builder.redirectErrorStream(true).start();
    InputStream out = process.getInputStream();
    Thread reader =
        new Thread(
            () -> {
              byte[] bytes = new byte[8192];
              try {
                for (int n = out.read(bytes); n >= 0; n = out.read(bytes)) {
                  // A read may split a character of several bytes, but tests search for ASCII only.
                  seen.append(new String(bytes, 0, n, StandardCharsets.UTF_8));
                }
              } catch (IOException closed) {
                // closed by the test
              }
            });
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts the command in a pipe.
   *
   * @param terminals the standard streams that the command treats as terminals, as digits
   */
  public static TerminalProcess inAPipe(
      Path folder, Map<String, String> variables, String terminals, String... words)
      throws IOException {
    return new TerminalProcess(folder, variables, java(terminals, words));
  }

  /** Starts the command on a terminal, between two calls of {@code stty} that print the modes. */
  public static TerminalProcess onATerminal(
      Path folder, Map<String, String> variables, String... words) throws Exception {
    return inAShell(folder, variables, "trap : INT; ", "; echo code $? after $(stty -g) .", words);
  }

  /**
   * Starts the command on a terminal, with additional shell commands.
   *
   * @param before shell commands that run first
   * @param after shell commands that run when the command has ended or was stopped
   */
  public static TerminalProcess inAShell(
      Path folder, Map<String, String> variables, String before, String after, String... words)
      throws Exception {
    assumeThat(Path.of("/usr/bin/script")).as("script(1) creates the terminal").isExecutable();
    StringBuilder command = new StringBuilder(before);
    command.append("stty rows 20 cols 60; echo before $(stty -g) \"$(tty) \";");
    for (String word : java("012", words)) {
      command.append(" '").append(word.replace("'", "'\\''")).append("'");
    }
    // A build in a script's background ignores Ctrl+C. The command must not inherit this setting.
    List<String> script =
        List.of(
            "env",
            "--default-signal=INT",
            "/usr/bin/script",
            "-qfc",
            command.append(after).toString(),
            "/dev/null");
    TerminalProcess started = new TerminalProcess(folder, variables, script);
    String said = started.await("/") + started.await(" ");
    Matcher pty = Pattern.compile("before (\\S+) (/dev/\\S+) ").matcher(said);
    assertThat(pty.find()).isTrue();
    started.modes = pty.group(1);
    started.terminal = pty.group(2);
    return started;
  }

  private static List<String> java(String terminals, String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(
        List.of("-Dralph.terminals=" + terminals, "-Dralph.launcher=" + Terminal.LAUNCHER));
    command.add(Main.class.getName());
    return Stream.concat(command.stream(), Stream.of(words)).toList();
  }

  /** Returns the started process: the command, or script(1) on a terminal. */
  public Process process() {
    return process;
  }

  /** Returns the modes of the terminal before the command. */
  public String modes() {
    return modes;
  }

  /**
   * Waits until the output contains a text. Returns and removes the output up to the end of the
   * text.
   */
  public String await(String text) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    int at = seen.indexOf(text);
    while (at < 0) {
      if (System.nanoTime() > deadline) {
        fail("output without '" + text + "': " + seen);
      }
      Thread.sleep(10);
      at = seen.indexOf(text);
    }
    String until = seen.substring(0, at + text.length());
    seen.delete(0, until.length());
    return until;
  }

  public void type(String keys) throws IOException {
    process.getOutputStream().write(keys.getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
  }

  /** Changes the size of the window. */
  public void resize(int rows, int columns) throws Exception {
    String[] size = {"rows", String.valueOf(rows), "cols", String.valueOf(columns)};
    List<String> stty = new ArrayList<>(List.of("stty", "-F", terminal));
    stty.addAll(List.of(size));
    assertThat(new ProcessBuilder(stty).start().waitFor()).isZero();
  }

  /**
   * Asserts that the command ends with an exit code and restores the terminal. Returns the last
   * output.
   */
  public String assertEnds(int code) throws Exception {
    String end = await("after " + modes + " .");
    assertThat(end).contains(END).contains("code " + code + " ");
    assertThat(DRAWING.matcher(end).replaceAll("")).doesNotContain("\u001b");
    return end;
  }

  /** Kills the process and all its descendants. */
  public void end() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
