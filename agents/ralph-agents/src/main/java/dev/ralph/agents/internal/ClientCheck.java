package dev.ralph.agents.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Queries the version and the login of an installed client by the client's own commands or by its
 * environment, without a request to a model. The commands run from {@link #start} on, so several
 * clients can be queried at once. Not thread-safe.
 */
public final class ClientCheck implements AutoCloseable {

  /** The login reported by a client. */
  public enum Login {
    /** The client has a key or a token, which may still be refused. */
    YES,
    /** The client has no key or token. */
    NO,
    /** The client does not report its login, or may use a key from elsewhere. */
    UNKNOWN
  }

  /**
   * The result of a check.
   *
   * @param works whether the client reported a version
   * @param version the version, with the tested version if it differs; or the error
   * @param login the login of the client
   * @param logIn the login instructions
   */
  public record Result(boolean works, String version, Login login, String logIn) {}

  /** The arguments that print the version of any client. */
  public static final List<String> VERSION = List.of("--version");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration GRACE = Duration.ofMillis(200);
  private static final Pattern COUNT =
      Pattern.compile("(\\d+) (?:credential|environment variable)s?");

  private static final Pattern LOGIN_METHOD = Pattern.compile("\"selectedType\"\\s*:\\s*\"[^\"]");

  /** The longest part of Gemini CLI's settings that is searched, in bytes. */
  private static final int MOST_SETTINGS = 64 * 1024;

  /** The variables with a key of Copilot or the address of another provider. */
  private static final List<String> COPILOT_KEYS =
      List.of("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL");

  private static final Pattern VERSION_NUMBER = Pattern.compile("[0-9]");
  private static final Pattern END = Pattern.compile("\\.$");

  /**
   * The commands that report the login, by the name of the client's program. Empty if the client
   * has no such command.
   */
  private static final Map<String, List<String>> LOGIN_COMMANDS =
      Map.of(
          "opencode", List.of("auth", "list"),
          "claude", List.of("auth", "status"),
          "codex", List.of("login", "status"),
          "copilot", List.of(),
          "gemini", List.of(),
          "kilo", List.of("auth", "list"));

  private final String client;
  private final List<Asked> asked = new ArrayList<>();

  private ClientCheck(String client, Path program, List<String> loginCommand) {
    this.client = client;
    asked.add(new Asked(command(program, VERSION)));
    if (!loginCommand.isEmpty()) {
      asked.add(new Asked(command(program, loginCommand)));
    }
  }

  private static ProcessSpec.Builder command(Path program, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(arguments);
    return ProcessSpec.command(command);
  }

  /** Returns the names of the supported clients, sorted alphabetically. */
  public static List<String> clients() {
    return LOGIN_COMMANDS.keySet().stream().sorted().toList();
  }

  /**
   * Returns the command that installs a client.
   *
   * @param client a name from {@link #clients}
   * @throws RalphException INVALID if the name is unknown
   */
  public static String howToInstall(String client) {
    require(client);
    return name(client).install();
  }

  private static List<String> require(String client) {
    List<String> loginCommand = LOGIN_COMMANDS.get(client);
    if (loginCommand == null) {
      throw RalphException.invalid(
          RalphException.quote(client) + " is not a supported client: " + clients());
    }
    return loginCommand;
  }

  /**
   * Starts the commands of a client.
   *
   * @param client a name from {@link #clients}
   * @throws RalphException INVALID if the name is unknown
   */
  public static ClientCheck start(String client, Path program) {
    List<String> loginCommand = require(client);
    return new ClientCheck(client, program, loginCommand);
  }

  /**
   * Queries the versions of several clients at once, and stops clients that do not answer in time.
   *
   * @param programs the programs by names from {@link #clients}
   * @param limit the time limit for all clients together
   * @return the results in the order of the programs, with an unknown login
   * @throws RalphException INVALID if a name is unknown
   * @throws InterruptedException if interrupted; the programs were stopped
   */
  public static Map<String, Result> versions(Map<String, Path> programs, Duration limit)
      throws InterruptedException {
    Map<String, Asked> asked = new LinkedHashMap<>();
    Map<String, Result> results = new LinkedHashMap<>();
    try {
      for (Map.Entry<String, Path> each : programs.entrySet()) {
        require(each.getKey());
        asked.put(each.getKey(), new Asked(command(each.getValue(), VERSION)));
      }
      long end = System.nanoTime() + limit.toNanos();
      for (Map.Entry<String, Asked> each : asked.entrySet()) {
        Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        results.put(each.getKey(), version(name(each.getKey()), each.getValue(), left, limit));
      }
    } finally {
      asked.values().forEach(Asked::close);
    }
    return results;
  }

  private static Result version(ClientName client, Asked asked, Duration left, Duration limit)
      throws InterruptedException {
    int code = asked.await(left);
    String failure = null;
    if (asked.isTimedOut()) {
      failure = "no answer within " + limit.toSeconds() + "s";
    } else if (code != 0) {
      failure = "exit code " + code + (asked.text().isEmpty() ? "" : ", " + asked.lastLine());
    } else if (client == ClientName.COPILOT && !asked.text().contains("GitHub Copilot")) {
      // The AWS Copilot CLI has the same name.
      failure = "another program: " + asked.version() + "; install with: " + client.install();
    }
    String version = failure == null ? asked.version() : failure;
    return new Result(failure == null, version, Login.UNKNOWN, client.logInHow());
  }

  /**
   * Waits for the results of the commands, at most a minute for each.
   *
   * @throws InterruptedException if interrupted; {@link #close} stops the running commands
   */
  public Result await() throws InterruptedException {
    Result found = version(name(), asked.get(0), LIMIT, LIMIT);
    Login login =
        asked.size() > 1
            ? login(asked.get(1).await(LIMIT), asked.get(1).text())
            : loginWithoutCommand(client, System.getenv());
    String version = found.works() ? besideTested(found.version()) : found.version();
    return new Result(found.works(), version, login, found.logIn());
  }

  private ClientName name() {
    return name(client);
  }

  private static ClientName name(String client) {
    return switch (client) {
      case "opencode" -> ClientName.OPENCODE;
      case "claude" -> ClientName.CLAUDE;
      case "copilot" -> ClientName.COPILOT;
      case "gemini" -> ClientName.GEMINI;
      case "kilo" -> ClientName.KILO;
      default -> ClientName.CODEX;
    };
  }

  /** Appends the tested version if it differs. */
  private String besideTested(String version) {
    String tested = name().tested();
    return version.contains(tested) ? version : version + ", tested with " + tested;
  }

  private Login login(int code, String text) {
    switch (client) {
      case "opencode", "kilo":
        Matcher count = COUNT.matcher(text);
        while (count.find()) {
          if (!count.group(1).equals("0")) {
            return Login.YES;
          }
        }
        // The configuration may contain a key.
        return Login.UNKNOWN;
      case "claude":
        return claudeLogin(text);
      default:
        // A custom provider needs no login.
        return code == 0
            ? Login.YES
            : text.toLowerCase(Locale.ROOT).contains("not logged in") ? Login.NO : Login.UNKNOWN;
    }
  }

  /**
   * Returns the login of a client without a command that reports the login. Most keys are in the
   * keyring of the system, which only the client can read.
   *
   * @param variables the environment of the client
   */
  static Login loginWithoutCommand(String client, Map<String, String> variables) {
    boolean found =
        client.equals("copilot")
            ? COPILOT_KEYS.stream().anyMatch(name -> !variables.getOrDefault(name, "").isEmpty())
            : !variables.getOrDefault("GOOGLE_GEMINI_BASE_URL", "").isEmpty()
                || hasLoginMethod(
                    variables.getOrDefault("GEMINI_CLI_HOME", variables.getOrDefault("HOME", "")));
    return found ? Login.YES : Login.UNKNOWN;
  }

  /** Returns whether the settings of Gemini CLI have a login method. */
  private static boolean hasLoginMethod(String home) {
    try {
      Path settings = Path.of(home, ".gemini", "settings.json");
      if (!Files.isRegularFile(settings)) {
        return false;
      }
      try (InputStream in = Files.newInputStream(settings)) {
        String text = new String(in.readNBytes(MOST_SETTINGS), StandardCharsets.UTF_8);
        return LOGIN_METHOD.matcher(text).find();
      }
    } catch (IOException | InvalidPathException unreadable) {
      return false;
    }
  }

  private static Login claudeLogin(String text) {
    try {
      JsonNode loggedIn = JSON.readTree(text).path("loggedIn");
      return !loggedIn.isBoolean() ? Login.UNKNOWN : loggedIn.asBoolean() ? Login.YES : Login.NO;
    } catch (JsonProcessingException notTold) {
      return Login.UNKNOWN;
    }
  }

  /** Stops the running commands. */
  @Override
  public void close() {
    asked.forEach(Asked::close);
  }

  /** A command of the client. */
  public static final class Asked implements AutoCloseable {

    private static final Pattern ANSI = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");

    /** The length of the kept output in characters. */
    private static final int MOST_OUTPUT = 64 * 1024;

    private final StringBuffer output = new StringBuffer();
    private @Nullable ManagedProcess process;
    private boolean timedOut;

    /** Starts a command. A failed start counts as output. */
    public Asked(ProcessSpec.Builder command) {
      try {
        process = ManagedProcess.start(command.mergeStderr().onStdout(this::append).build());
      } catch (RalphException e) {
        output.append(e.getMessage());
      }
    }

    private void append(String piece) {
      if (output.length() < MOST_OUTPUT) {
        output.append(piece);
      }
    }

    /** Returns whether the command was stopped at its time limit. */
    boolean isTimedOut() {
      return timedOut;
    }

    /** Returns the exit code after the time limit at most, or -1 if the start failed. */
    public int await(Duration limit) throws InterruptedException {
      if (process == null) {
        return -1;
      }
      ProcessExit exit = process.awaitOrTerminate(limit, GRACE);
      timedOut = exit.reason() == ProcessExit.Reason.TIMED_OUT;
      return exit.code();
    }

    String text() {
      return ANSI.matcher(output).replaceAll("").strip();
    }

    /**
     * Returns the version: the last line with a digit, or the last line. Clients print warnings
     * before the version, a period, or a hint after the version.
     */
    public String version() {
      List<String> lines = text().lines().toList();
      for (int i = lines.size() - 1; i >= 0; i--) {
        if (VERSION_NUMBER.matcher(lines.get(i)).find()) {
          return END.matcher(lines.get(i)).replaceFirst("");
        }
      }
      return lastLine();
    }

    /** Returns the last line of the output. */
    String lastLine() {
      String text = text();
      return text.substring(text.lastIndexOf('\n') + 1);
    }

    @Override
    public void close() {
      if (process != null) {
        process.close();
      }
    }
  }
}
