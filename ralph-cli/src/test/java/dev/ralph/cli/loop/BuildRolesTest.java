package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ralph build} with agents that plan, build and review. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BuildRolesTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void writeASpec() throws IOException {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/SPEC.md"), "# A spec\n");
  }

  @Test
  void eachRole_runsOwnAgent() {
    String[] words = {
      "build",
      "--agent",
      "plan=echo planning",
      "--agent",
      "echo building",
      "--agent",
      "review=echo reviewing",
      "--review-every",
      "2",
      "-i",
      "1"
    };
    assertThat(terminal.call(words).out()).contains("auth - Iteration #1 (plan)...\n  planning\n");
    terminal.call("task", "add", "one");
    words[words.length - 1] = "3";

    assertThat(terminal.call(words).out())
        .contains("auth - Iteration #2...\n  building\n")
        .contains("auth - Iteration #3 (review)...\n  reviewing\n")
        .contains("auth - Iteration #4...\n  building\n")
        .contains("--agent 'review=echo reviewing'");
    assertThat(terminal.call("iterations").out()).contains("#1 plan success", "#2 success");
    assertThat(terminal.call("iterations", "--json").out())
        .contains("{\"n\":2,\"status\"", "{\"n\":3,\"role\":\"review\",\"status\"");
    assertThat(terminal.call("iterations", "--show", "3").out()).contains("review in " + folder);
    assertThat(terminal.call("cost", "--by", "role").out()).contains("plan", "build", "review");
  }

  @Test
  void role_hasOwnTemplateAndLimits() throws IOException {
    Files.writeString(folder.resolve("plan.md"), "Plan it. {{tools}}");

    Result result =
        terminal.call(
            "build",
            "--agent",
            "cat",
            "--agent",
            "plan=sleep 60",
            "--template",
            "plan=plan.md",
            "--timeout",
            "plan=200ms",
            "--timeout",
            "30m",
            "-i",
            "1");
    assertThat(result.out()).contains("timeout");

    assertThat(terminal.call("iterations", "--show", "1", "--prompt").out()).contains("Plan it.");
    assertThat(terminal.call("build", "--agent", "cat", "--agent", "plan=cat", "--dry-run").out())
        .contains("## THIS ITERATION PLANS");
  }

  @Test
  void projectFile_mayNameRoles() throws IOException {
    Files.writeString(
        folder.resolve(".ralph.conf"),
        """
        agent = echo building
        agent = plan=cat
        template = plan=prompts/plan.md
        """);
    Files.createDirectory(folder.resolve("prompts"));
    Files.writeString(folder.resolve("prompts/plan.md"), "Plan it. {{tools}}");

    Result planned = terminal.call("build", "--yes", "-i", "1");
    assertThat(planned.err()).contains("options from", ": agent, agent plan, template plan\n");
    assertThat(planned.out()).contains("  Plan it.");
    assertThat(terminal.call("build", "--yes", "--agent", "echo other", "-i", "1").out())
        .contains("  Plan it.");
    terminal.call("task", "add", "one");
    assertThat(terminal.call("build", "--yes", "--agent", "plan=true", "-i", "1").out())
        .contains("  building");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--agent cat -m plan=x | --model plan=… needs an agent; give" + " --agent plan=AGENT",
        "--agent cat --review-every 2 | --review-every needs an agent; give"
            + " --agent review=AGENT",
        "--agent plan=cat --agent plan=true | --agent plan was given twice; give it once",
        "--agent cat --agent build=true | --agent was given twice; give it once",
        "--agent cat --agent plan=cat -m plan=x | --model plan=… is for opencode, claude, codex",
        "--agent cat --agent plan=cat --timeout plan=x | --timeout plan=… must be a duration such as",
      })
  void invalidRoleOptions_areRefused(String words, String message) {
    Result result = terminal.call(("build " + words).split(" "));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains(message);
  }
}
