package dev.ralph.web.internal.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ralph.log.Meta;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the protocol's conformance suite for each revision that the server supports over HTTP. */
@Tag("clients")
@Timeout(120)
class McpConformanceTest {

  /**
   * The checks that do not apply to a server with tools only: patterns of scenario and check, with
   * the reason.
   */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "(completion-complete|prompts-[a-z-]+)/.*|caching/sep-2549-prompts-.*",
          "there are no prompts",
          "(resources-[a-z-]+|sep-2164-resource-not-found)/.*|caching/sep-2549-resources-.*",
          "there are no resources",
          "(logging-set-level|tools-call-with-logging)/.*",
          "a client is sent no log",
          "tools-call-(image|audio|embedded-resource|mixed-content)/.*",
          "the results of tools are texts",
          "(tools-call-sampling|tools-call-elicitation|elicitation-[a-z0-9-]+)/.*",
          "a client is asked for nothing; questions wait for the operator",
          "input-required-result-[a-z-]+/.*",
          "as before, in the newest revision",
          "server-stateless/sep-2575-(server-rejects-undeclared|missing)-capability.*",
          "no tool needs anything of the client",
          "server-stateless/sep-2575-server-sends-[a-z]+-list-changed-on-subscription",
          "the tools stay the same",
          "http-custom-header-server-validation/.*",
          "no argument of a tool is repeated in a header",
          "server-sse-polling/.*",
          "a result is not kept for a client that comes again");

  private static final Pattern RESULTS = Pattern.compile("server-(.+)-\\d{4}-\\d\\d-\\d\\dT.*");

  @TempDir Path folder;

  /** The result of a check in a scenario. */
  private record Check(String scenario, String id, String status, String message) {

    /** Returns whether this is the schema check, which is part of each scenario. */
    boolean isOfForm() {
      return id.equals("wire-schema-valid");
    }

    boolean isLeftOut() {
      return LEFT_OUT.keySet().stream().anyMatch(this::fits);
    }

    boolean fits(String pattern) {
      return !isOfForm() && (scenario + "/" + id).matches(pattern);
    }

    boolean isPassed() {
      return status.equals("SUCCESS");
    }

    boolean isMissed() {
      return !isPassed() && !status.equals("INFO");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2025-06-18 | server-initialize server-session-lifecycle ping tools-list"
            + " tools-call-simple-text tools-call-error tools-call-with-progress",
        "2025-11-25 | server-initialize server-session-lifecycle ping tools-list"
            + " tools-call-simple-text tools-call-error tools-call-with-progress"
            + " json-schema-2020-12 server-sse-multiple-streams dns-rebinding-protection",
        "2026-07-28 | server-stateless tools-list"
            + " tools-call-simple-text tools-call-error tools-call-with-progress"
            + " json-schema-2020-12 server-sse-multiple-streams dns-rebinding-protection"
            + " http-header-validation caching",
      })
  void conformanceScenarios_pass(String revision, String scenarios) throws Exception {
    List<Check> checks = run(revision);

    assertThat(checks).filteredOn(check -> check.isMissed() && !check.isLeftOut()).isEmpty();
    Set<String> passed = new TreeSet<>();
    for (Check check : checks) {
      if (check.isPassed() && !check.isOfForm() && !check.isLeftOut()) {
        passed.add(check.scenario());
      }
    }
    assertThat(passed).containsExactlyInAnyOrder(scenarios.split(" "));
    for (String pattern : LEFT_OUT.keySet()) {
      assertThat(checks.stream().filter(check -> check.fits(pattern)).toList())
          .as("%s is excluded, but passes", pattern)
          .matches(fitting -> fitting.isEmpty() || !fitting.stream().allMatch(Check::isPassed));
    }
  }

  private List<Check> run(String revision) throws Exception {
    Path said = folder.resolve("said");
    Path program = program();
    try (ToolsServer server = new ToolsServer(new SuiteTools())) {
      ProcessBuilder suite =
          new ProcessBuilder(program.toString(), "server")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile());
      suite
          .command()
          .addAll(
              List.of(
                  "--url",
                  "http://127.0.0.1:" + server.port() + "/mcp",
                  "--suite",
                  "all",
                  "--spec-version",
                  revision,
                  "-o",
                  "results"));
      // The suite needs a newer Node.js than other programs; this Node.js is in the suite's folder.
      suite
          .environment()
          .merge("PATH", program.getParent().toString(), (path, own) -> own + ":" + path);
      suite.start().waitFor(); // The exit code is not 0, because of the excluded checks.
    }
    List<Check> checks = new ArrayList<>();
    try (Stream<Path> results = Files.list(folder.resolve("results"))) {
      for (Path each : results.toList()) {
        Matcher name = RESULTS.matcher(each.getFileName().toString());
        assertThat(name.matches()).as("%s", each).isTrue();
        String json = Files.readString(each.resolve("checks.json"));
        for (Meta check : Meta.parse("{\"checks\":" + json + "}").objects("checks")) {
          checks.add(
              new Check(
                  name.group(1),
                  String.valueOf(check.string("id")),
                  String.valueOf(check.string("status")),
                  String.valueOf(check.string("errorMessage"))));
        }
      }
    } catch (NoSuchFileException e) {
      fail("the suite left no results; its output: " + Files.readString(said));
    }
    return checks;
  }

  private static Path program() {
    String path = System.getenv("RALPH_CONFORMANCE");
    if (path == null || !Files.isExecutable(Path.of(path))) {
      fail(
          "This test needs a program: npm install @modelcontextprotocol/conformance@0.2.0-alpha.12"
              + " node@22.23.3, then set RALPH_CONFORMANCE (now "
              + path
              + ") to node_modules/.bin/conformance");
    }
    return Path.of(path).toAbsolutePath();
  }
}
