package dev.ralph.cli.loop;

import dev.ralph.agents.internal.ClientCheck;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the client of a build without {@code --agent}: the only client on the PATH whose {@code
 * --version} works. A person chooses among several clients.
 */
final class ClientSelection {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MOST_TRIES = 3;

  /** The options that apply to a single kind of agent, which they select. */
  private static final List<String> OF_ONE_AGENT =
      List.of("port", "no-server", "agent-mode", "agent-auth", "agent-permission");

  private ClientSelection() {}

  /**
   * Adds the selected client to the options of a call that names no agent.
   *
   * @param dry true selects the first client found, unchecked, because no agent runs
   * @throws UsageException if no client works, or a person would have to choose and cannot be asked
   */
  static void addTo(Invocation call, boolean dry) {
    Environment environment = call.environment();
    if (environment.variable("PATH") == null || !isNeeded(call.arguments())) {
      return;
    }
    Map<String, Path> found = new LinkedHashMap<>();
    for (String name : AgentChoice.CLIENTS) {
      Path program = environment.program(name);
      if (program != null) {
        found.put(name, program);
      }
    }
    if (dry && found.isEmpty()) {
      return;
    }
    String client = dry ? found.keySet().iterator().next() : select(call, versions(found));
    Arguments.Builder selected = Arguments.builder();
    selected.add("agent", client, "the client on the PATH");
    call.addDefaults(selected.build());
  }

  private static boolean isNeeded(Arguments given) {
    if (given.has("agent")) {
      return false;
    }
    String several = given.text(LoopAgents.AGENTS);
    boolean areNamed = several != null && !several.matches("[0-9]+");
    return !areNamed && OF_ONE_AGENT.stream().noneMatch(given::has);
  }

  private static Map<String, ClientCheck.Result> versions(Map<String, Path> found) {
    try {
      return ClientCheck.versions(found, LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the search for a client");
    }
  }

  private static String select(Invocation call, Map<String, ClientCheck.Result> found) {
    List<String> working = working(found);
    if (working.size() == 1) {
      if (!call.json() && !call.environment().out().isTerminal()) {
        call.warn("agent: " + working.get(0) + ", the only working client on the PATH");
      }
      return working.get(0);
    }
    if (working.isEmpty()) {
      throw new UsageException(noneWorks(found));
    }
    String chosen = call.canAsk() ? ask(call, working, found) : null;
    if (chosen == null) {
      throw new UsageException(several(working));
    }
    call.warn("to use " + chosen + " always: add agent = " + chosen + " to .ralph.conf");
    return chosen;
  }

  /** Returns the clients that reported a version, in order. */
  static List<String> working(Map<String, ClientCheck.Result> found) {
    List<String> working = new ArrayList<>();
    found.forEach(
        (name, result) -> {
          if (result.works()) {
            working.add(name);
          }
        });
    return working;
  }

  /** Returns the message for several clients without a person to choose. */
  static String several(List<String> working) {
    List<String> options = new ArrayList<>();
    working.forEach(name -> options.add("--agent " + name));
    return "several agent clients are installed: "
        + String.join(", ", working)
        + "; choose a client with "
        + String.join(" or ", options)
        + ", or with agent = NAME in .ralph.conf";
  }

  /** Returns the message without a working client, with the failures of installed clients. */
  static String noneWorks(Map<String, ClientCheck.Result> found) {
    List<String> parts = new ArrayList<>();
    found.forEach(
        (name, result) -> parts.add("'" + name + " --version' failed: " + result.version()));
    List<String> installs = new ArrayList<>();
    for (String name : AgentChoice.CLIENTS) {
      installs.add(name + " (" + ClientCheck.howToInstall(name) + ")");
    }
    return (parts.isEmpty() ? "no agent client is on the PATH" : String.join("; ", parts))
        + "; install a client: "
        + String.join(", ", installs)
        + "; or run another agent with --agent COMMAND";
  }

  private static @Nullable String ask(
      Invocation call, List<String> working, Map<String, ClientCheck.Result> found) {
    call.environment().err().line("Several agent clients are installed:");
    for (int i = 0; i < working.size(); i++) {
      ClientCheck.Result result = found.get(working.get(i));
      String version = result == null ? "" : SafeText.line(result.version());
      call.environment().err().line("  " + (i + 1) + "  " + working.get(i) + "  " + version);
    }
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      String answer = call.answerTo("Which client runs this build? [1-" + working.size() + "]");
      String chosen = answer == null ? null : chosen(working, answer);
      if (answer == null || chosen != null) {
        return chosen;
      }
    }
    return null;
  }

  /** Returns the client of an answer, a number from 1 or a name; null for any other answer. */
  static @Nullable String chosen(List<String> working, String answer) {
    for (int i = 0; i < working.size(); i++) {
      if (answer.equals(String.valueOf(i + 1)) || answer.equalsIgnoreCase(working.get(i))) {
        return working.get(i);
      }
    }
    return null;
  }
}
