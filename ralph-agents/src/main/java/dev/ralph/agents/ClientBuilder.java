package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.log.RalphException;
import dev.ralph.tool.McpServerCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What can be set of every client. For one thread.
 *
 * @param <B> the builder of the client
 */
public abstract class ClientBuilder<B extends ClientBuilder<B>> {

  /** How long a client may be silent where nobody sets it. */
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

  /** Sets the program: a name to be found on the PATH, or a path. */
  public B program(String program) {
    this.program = program;
    return self();
  }

  /** Sets the model, in the client's own words; the client's own choice if not set. */
  public B model(String model) {
    this.model = model;
    return self();
  }

  /** Adds arguments for the client, after all others. */
  public B arguments(List<String> arguments) {
    this.arguments.addAll(arguments);
    return self();
  }

  /** Sets a variable in the environment of the client, on top of those of this program. */
  public B environment(String name, String value) {
    environment.put(name, value);
    return self();
  }

  /**
   * Gives the client the session's tools, for its runs by this agent only. A run that does not have
   * them fails.
   *
   * @param server how the client starts their server. The client and its shell commands may see its
   *     variables too, so they are no place for secrets that the agent must not know
   */
  public B tools(McpServerCommand server) {
    tools = server;
    return self();
  }

  /**
   * Sets how long the client may say nothing until it counts as hung, and its iteration as failed.
   * A client says nothing while it waits for its model, or for a tool: so this has to be longer
   * than the longest command that the agent may run. {@link #DEFAULT_LONGEST_SILENCE} if not set.
   *
   * @param silence zero for no limit
   * @throws RalphException INVALID if it is negative
   */
  public B longestSilence(Duration silence) {
    if (silence.isNegative()) {
      throw RalphException.invalid("longestSilence must not be negative: " + silence);
    }
    longestSilence = silence;
    return self();
  }

  /**
   * Sets what models cost, for where the client tells tokens and no cost: Codex never does, Claude
   * Code only at its end, opencode where it knows the price. {@link Prices#builtIn} if not set.
   */
  public B prices(Prices prices) {
    this.prices = prices;
    return self();
  }

  /** Makes the agent; nothing is started yet. */
  public abstract Agent build();

  ClientSettings settings() {
    return new ClientSettings(
        program, model, arguments, environment, tools, longestSilence, prices);
  }
}
