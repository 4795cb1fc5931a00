package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks an installed client for its version, and whether it is logged in, by the client's own
 * commands; no model is asked. They run from {@link #start} on, so that several clients can be
 * asked at once. For one thread.
 */
public final class ClientCheck implements AutoCloseable {

  /** What a client says of its login. */
  public enum Login {
    /** It has a key or a token, which may yet be refused. */
    YES,
    /** It has none. */
    NO,
    /** It does not say, or would take one from elsewhere. */
    UNKNOWN
  }

  /**
   * What came of it.
   *
   * @param works whether the client told its version
   * @param version the version, with the tested one where that is another; or what is wrong
   * @param login whether it is logged in
   * @param logIn how to log in
   */
  public record Result(boolean works, String version, Login login, String logIn) {}

  /** What makes any client tell its version. */
  static final List<String> VERSION = List.of("--version");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration GRACE = Duration.ofMillis(200);
  private static final Pattern COUNT =
      Pattern.compile("(\\d+) (?:credential|environment variable)s?");

  /** The clients there are, by the name of their program, with the command that tells the login. */
  private static final Map<String, List<String>> LOGIN_COMMANDS =
      Map.of(
          "opencode", List.of("auth", "list"),
          "claude", List.of("auth", "status"),
          "codex", List.of("login", "status"));

  private final String client;
  private final List<Asked> asked = new ArrayList<>();

  private ClientCheck(String client, Path program, List<String> loginCommand) {
    this.client = client;
    asked.add(new Asked(command(program, VERSION)));
    asked.add(new Asked(command(program, loginCommand)));
  }

  private static ProcessSpec.Builder command(Path program, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(arguments);
    return ProcessSpec.command(command);
  }

  /** Returns the names of the clients that can be asked, in the order of the alphabet. */
  public static List<String> clients() {
    return LOGIN_COMMANDS.keySet().stream().sorted().toList();
  }

  /**
   * Returns the command that installs a client.
   *
   * @param client one of {@link #clients}
   * @throws RalphException INVALID if it is none of them
   */
  public static String howToInstall(String client) {
    require(client);
    return name(client).install();
  }

  private static List<String> require(String client) {
    List<String> loginCommand = LOGIN_COMMANDS.get(client);
    if (loginCommand == null) {
      throw RalphException.invalid(
          RalphException.quote(client) + " is no client that can be asked: " + clients());
    }
    return loginCommand;
  }

  /**
   * Begins to ask.
   *
   * @param client one of {@link #clients}
   * @throws RalphException INVALID if it is none of them
   */
  public static ClientCheck start(String client, Path program) {
    List<String> loginCommand = require(client);
    return new ClientCheck(client, program, loginCommand);
  }

  /**
   * Asks a program that speaks the Agent Client Protocol what it is, and ends it again; it has no
   * session then, and no model is asked. Waits for 20 seconds at most.
   *
   * @param command the program and its arguments
   * @return its name and version, and how it can be logged in
   * @throws RalphException INVALID if it can't be started, does not answer in time, answers that it
   *     can't, or speaks another version of the protocol; the message says which
   * @throws InterruptedException if interrupted; it has been ended then
   */
  public static String askAcp(List<String> command) throws InterruptedException {
    return AcpCheck.ask(command);
  }

  /**
   * Waits for the answers, for 20 seconds each at most.
   *
   * @throws InterruptedException if interrupted; closing ends what still runs
   */
  public Result await() throws InterruptedException {
    int code = asked.get(0).await(LIMIT);
    String said = asked.get(0).text();
    int loginCode = asked.get(1).await(LIMIT);
    return new Result(
        code == 0,
        code == 0
            ? besideTested(asked.get(0).lastLine())
            : "it does not tell its version: exit code " + code + ", " + said,
        login(loginCode, asked.get(1).text()),
        name().logInHow());
  }

  private ClientName name() {
    return name(client);
  }

  private static ClientName name(String client) {
    return switch (client) {
      case "opencode" -> ClientName.OPENCODE;
      case "claude" -> ClientName.CLAUDE;
      default -> ClientName.CODEX;
    };
  }

  /** Adds the version that was tested, where it is another one. */
  private String besideTested(String version) {
    String tested = name().tested();
    return version.contains(tested) ? version : version + ", tested with " + tested;
  }

  private Login login(int code, String text) {
    switch (client) {
      case "opencode":
        Matcher count = COUNT.matcher(text);
        while (count.find()) {
          if (!count.group(1).equals("0")) {
            return Login.YES;
          }
        }
        // A key may stand in its configuration.
        return Login.UNKNOWN;
      case "claude":
        return claudeLogin(text);
      default:
        // A provider of the user's own needs no login.
        return code == 0
            ? Login.YES
            : text.toLowerCase(Locale.ROOT).contains("not logged in") ? Login.NO : Login.UNKNOWN;
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

  /** Ends what still runs. */
  @Override
  public void close() {
    asked.forEach(Asked::close);
  }

  /** One command of the client. */
  static final class Asked implements AutoCloseable {

    private static final Pattern ANSI = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");

    private final StringBuffer output = new StringBuffer();
    private @Nullable ManagedProcess process;

    Asked(ProcessSpec.Builder command) {
      try {
        process = ManagedProcess.start(command.mergeStderr().onStdout(output::append).build());
      } catch (RalphException e) {
        output.append(e.getMessage());
      }
    }

    /** Returns its exit code, after that time at most; -1 if it could not be started. */
    int await(Duration limit) throws InterruptedException {
      if (process == null) {
        return -1;
      }
      ProcessExit exit = process.awaitOrTerminate(limit, GRACE);
      return exit.code();
    }

    String text() {
      return ANSI.matcher(output).replaceAll("").strip();
    }

    /** Returns the last line: warnings come before what was asked for. */
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
