package dev.ralph.tx;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.ralph.core.internal.text.TextFile;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The routing rules of a mesh: the recipients to which an agent may write with each status.
 * Immutable; safe for use by many threads.
 */
final class TxRouting {

  /** The maximum length of a file in bytes: a thousand agents with a few routes each. */
  static final int LONGEST_FILE = 1 << 20;

  /**
   * The location of an enclosing value in a parser message, with a description of the hidden
   * source.
   */
  private static final Pattern SOURCE = Pattern.compile("\\[Source: [^;\\]]*; ([^\\]]*)\\]");

  private static final JsonFactory JSON = new JsonFactory();
  private static final String EXTENSION = ".json";
  private static final int LONGEST_NAME = 200;

  private final String mesh;
  private final Map<String, Map<String, Set<String>>> rules;
  private final List<TxProblem> warnings;

  private TxRouting(
      String mesh, Map<String, Map<String, Set<String>>> rules, List<TxProblem> warnings) {
    this.mesh = mesh;
    this.rules = rules;
    this.warnings = warnings;
  }

  /**
   * Parses the routing file of a mesh.
   *
   * @param file the name of the file, {@code {mesh}.json}
   * @throws RalphException INVALID, with file, line and column, if the file is invalid
   */
  static TxRouting read(String file, byte[] bytes) {
    FileProblems findings = new FileProblems(file);
    if (bytes.length > LONGEST_FILE) {
      throw findings.failure(0, 0, "the file has more than " + (LONGEST_FILE >> 20) + " MiB", null);
    }
    String mesh = mesh(file);
    String text = new String(bytes, StandardCharsets.UTF_8);
    String json = TextFile.withoutMark(text);
    try (JsonParser parser = JSON.createParser(json)) {
      Map<String, Map<String, Set<String>>> rules = rules(parser, mesh, findings);
      warnOfDeadEnds(rules, findings);
      return new TxRouting(mesh, rules, findings.all());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the JSON parser", e);
    }
  }

  private static Map<String, Map<String, Set<String>>> rules(
      JsonParser parser, String mesh, FileProblems findings) throws IOException {
    try {
      return new Reading(parser, mesh, findings).rules();
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
      throw findings.failure(
          at.getLineNr(),
          at.getColumnNr(),
          "invalid JSON: "
              + SOURCE.matcher(OneLine.visible(e.getOriginalMessage())).replaceAll("$1"),
          e);
    }
  }

  static String mesh(String file) {
    return file.endsWith(EXTENSION) ? file.substring(0, file.length() - EXTENSION.length()) : file;
  }

  /** Returns the name of the mesh, which is the name of its file. */
  String mesh() {
    return mesh;
  }

  /** Returns the problems that do not prevent the use of the rules. */
  List<TxProblem> warnings() {
    return warnings;
  }

  /** Returns whether an agent has rules. An agent without rules may write to every agent. */
  boolean hasRules(String agent) {
    return rules.containsKey(agent);
  }

  /**
   * Returns the reason why a message is rejected, in TX's words, or null if it may be sent. Only
   * the rules of the sender count, and only the agent names within the mesh. A message without a
   * status passes.
   */
  @Nullable String refusal(TxMessage message) {
    TxAddress from = message.from();
    TxAddress to = message.to();
    String status = message.status();
    Map<String, Set<String>> routes = from == null ? null : rules.get(from.agent());
    if (routes == null || from == null || to == null || status == null) {
      return null;
    }
    Set<String> targets = routes.get(status);
    if (targets == null) {
      return "Unknown status \""
          + status
          + "\" for agent "
          + from.agent()
          + ". Valid statuses: "
          + String.join(", ", routes.keySet());
    }
    for (String target : targets) {
      if (nameOf(target).equals(to.agent())) {
        return null;
      }
    }
    return "Status \""
        + status
        + "\" cannot route to \""
        + to.agent()
        + "\". Valid targets: "
        + String.join(", ", targets);
  }

  /** Returns the name of an agent without the mesh or folder before it. */
  private static String nameOf(String agent) {
    return agent.substring(agent.lastIndexOf('/') + 1);
  }

  /**
   * Warns of agents whose messages circulate for ever, because no route leads to an agent without
   * rules.
   */
  private static void warnOfDeadEnds(
      Map<String, Map<String, Set<String>>> rules, FileProblems findings) {
    Map<String, Set<String>> sources = new LinkedHashMap<>();
    List<String> reached = new ArrayList<>();
    rules.forEach(
        (agent, routes) ->
            routes
                .values()
                .forEach(
                    targets ->
                        targets.forEach(
                            target ->
                                sources
                                    .computeIfAbsent(nameOf(target), name -> new HashSet<>())
                                    .add(agent))));
    Set<String> withWayOut = new HashSet<>();
    for (String target : sources.keySet()) {
      if (!rules.containsKey(target)) {
        reached.add(target);
      }
    }
    while (!reached.isEmpty()) {
      String target = reached.remove(reached.size() - 1);
      for (String source : sources.getOrDefault(target, Set.of())) {
        if (withWayOut.add(source)) {
          reached.add(source);
        }
      }
    }
    Set<String> stuck = new LinkedHashSet<>(rules.keySet());
    stuck.removeAll(withWayOut);
    if (!stuck.isEmpty()) {
      findings.warn(
          0,
          "the routing has no exit for "
              + String.join(", ", stuck)
              + ": add a status that leads to an agent without rules, such as core");
    }
  }

  // ---- reading

  /** Parses the routing file of a mesh. */
  private static final class Reading {
    private final JsonParser parser;
    private final String mesh;
    private final FileProblems findings;
    private Map<String, Map<String, Set<String>>> rules = Map.of();

    Reading(JsonParser parser, String mesh, FileProblems findings) {
      this.parser = parser;
      this.mesh = mesh;
      this.findings = findings;
    }

    Map<String, Map<String, Set<String>>> rules() throws IOException {
      parser.nextToken();
      begin("the file");
      Set<String> seen = new HashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        noteTwice(seen, name, "the file");
        JsonToken value = parser.nextToken();
        if (name.equals("mesh") && value == JsonToken.VALUE_STRING) {
          checkMesh(parser.getText());
        } else if (name.equals("routing") && value != JsonToken.VALUE_NULL) {
          rules = routing();
        } else {
          parser.skipChildren();
        }
      }
      if (parser.nextToken() != null) {
        throw failure("unexpected text after the end of the object");
      }
      return rules;
    }

    private void checkMesh(String named) {
      if (!named.equals(mesh)) {
        warn(
            "the member 'mesh' is "
                + RalphException.quote(named)
                + ", but the file name is used: "
                + RalphException.quote(mesh));
      }
    }

    private Map<String, Map<String, Set<String>>> routing() throws IOException {
      begin("routing");
      Map<String, Map<String, Set<String>>> agents = new LinkedHashMap<>();
      Set<String> seen = new HashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String agent = nameOf(name("routing"));
        noteTwice(seen, agent, "routing");
        parser.nextToken();
        agents.put(agent, statuses(agent));
      }
      return Collections.unmodifiableMap(agents);
    }

    private Map<String, Set<String>> statuses(String agent) throws IOException {
      begin("the value of agent " + agent);
      Map<String, Set<String>> routes = new LinkedHashMap<>();
      Set<String> seen = new HashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String status = name("agent " + agent);
        noteTwice(seen, status, "agent " + agent);
        parser.nextToken();
        routes.put(status, targets(agent + "." + status));
      }
      if (routes.isEmpty()) {
        warn("agent " + agent + " has no status and therefore cannot send messages");
      }
      return Collections.unmodifiableMap(routes);
    }

    private Set<String> targets(String what) throws IOException {
      begin("the value of " + what);
      Set<String> targets = new LinkedHashSet<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        noteTwice(targets, name(what), what);
        parser.nextToken();
        parser.skipChildren();
      }
      if (targets.isEmpty()) {
        warn(what + " leads to no agent");
      }
      return Collections.unmodifiableSet(targets);
    }

    private void begin(String what) {
      if (!parser.hasToken(JsonToken.START_OBJECT)) {
        throw failure(
            what + " must be an object: {\"agent\": {\"status\": {\"target\": \"why\"}}}");
      }
    }

    private String name(String where) throws IOException {
      String name = parser.currentName();
      try {
        OneLine.require("a name in " + where, name, LONGEST_NAME);
      } catch (RalphException unusable) {
        throw failure(String.valueOf(unusable.getMessage()));
      }
      return name;
    }

    /** Adds a name to the known names, and warns if it is a duplicate. */
    private void noteTwice(Set<String> seen, String name, String where) {
      if (!seen.add(name)) {
        warn(
            RalphException.quote(name)
                + " appears twice in "
                + where
                + "; the last value is"
                + " used");
      }
    }

    private void warn(String text) {
      JsonLocation at = parser.currentTokenLocation();
      findings.warn(at.getLineNr(), at.getColumnNr(), text);
    }

    private RalphException failure(String text) {
      JsonLocation at = parser.currentTokenLocation();
      return findings.failure(at.getLineNr(), at.getColumnNr(), text, null);
    }
  }
}
