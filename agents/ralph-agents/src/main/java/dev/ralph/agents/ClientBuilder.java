package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings common to all clients. Not thread-safe.
 *
 * @param <B> the builder of the client
 */
public abstract class ClientBuilder<B extends ClientBuilder<B>> {

  /** The default time after which a silent client counts as hung. */
  public static final Duration DEFAULT_LONGEST_SILENCE = Duration.ofMinutes(15);

  private String program;
  private @Nullable String model;
  private final List<String> arguments = new ArrayList<>();
  private final Map<String, String> environment = new TreeMap<>();
  private @Nullable McpServerCommand tools;
  private Duration longestSilence = DEFAULT_LONGEST_SILENCE;
  private Prices prices = Prices.builtIn();

  ClientBuilder(String program) {
    this.program = program;
  }

  abstract B self();

  /** Sets the program: a name on the PATH, or a path. */
  public B program(String program) {
    this.program = program;
    return self();
  }

  /** Sets the model, as the client names it. By default the client chooses. */
  public B model(String model) {
    this.model = model;
    return self();
  }

  /** Appends arguments to the client's command line. */
  public B arguments(List<String> arguments) {
    this.arguments.addAll(arguments);
    return self();
  }

  /** Sets a variable in the client's environment, in addition to the variables of this process. */
  public B environment(String name, String value) {
    environment.put(name, value);
    return self();
  }

  /**
   * Adds the session's tools to the runs of this agent. A run without these tools fails.
   *
   * @param server the command that starts the tool server. The client and its shell commands may
   *     read the server's variables, so these must not contain secrets
   */
  public B tools(McpServerCommand server) {
    tools = server;
    return self();
  }

  /**
   * Sets the time after which a silent client counts as hung and its iteration as failed. A client
   * is silent during a request to the model or a tool call. Therefore the time must exceed the
   * agent's longest command. The default is {@link #DEFAULT_LONGEST_SILENCE}.
   *
   * @param silence the time, or zero for no limit
   * @throws RalphException INVALID if the time is negative
   */
  public B longestSilence(Duration silence) {
    if (silence.isNegative()) {
      throw RalphException.invalid("longestSilence must not be negative: " + silence);
    }
    longestSilence = silence;
    return self();
  }

  /**
   * Sets the prices of models, which apply if the client reports tokens without a cost. Codex never
   * reports a cost, Claude Code only at its end, and opencode if it knows the price. The default is
   * {@link Prices#builtIn}.
   */
  public B prices(Prices prices) {
    this.prices = prices;
    return self();
  }

  /**
   * Returns the permissions with which the client is started, as text for people. Permissions in
   * the user's own arguments are repeated as they are.
   */
  public String permissions() {
    List<String> own = permissionArguments();
    return own.isEmpty() ? usualPermissions() : String.join(" ", own);
  }

  /** Returns the permissions without permission arguments of the user, as text for people. */
  abstract String usualPermissions();

  /** Returns the user's arguments if they replace the usual permissions, else an empty list. */
  List<String> permissionArguments() {
    return List.of();
  }

  /** Builds the agent. Starts no process. */
  public abstract Agent build();

  ClientSettings settings() {
    return new ClientSettings(
        program, model, arguments, environment, tools, longestSilence, prices);
  }
}
