package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options file of a project for {@code ralph build}. */
class BuildConfigTest {

  @TempDir Path folder;
  private Terminal terminal;
  private Path config;

  @BeforeEach
  void open() {
    terminal = at(folder);
    config = folder.resolve(".ralph.conf");
  }

  private Terminal at(Path place) {
    return new Terminal(place)
        .with("RALPH_SESSION", "auth")
        .with("XDG_STATE_HOME", folder.resolve("state").toString());
  }

  private Result build(String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--yes"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  private void write(String... lines) throws IOException {
    Files.writeString(config, String.join("\n", lines) + "\n");
  }

  @Test
  void init_writesEveryOptionAsComment() throws IOException {
    Result init = terminal.call("init");
    assertThat(init.code()).as(init.err()).isZero();
    assertThat(init.out()).startsWith("Wrote .ralph.conf;");
    assertThat(config)
        .content()
        .contains("\n#agent = AGENT\n", "\n#gate = COMMAND\n", "\n#quiet = yes\n", "Makefile")
        .contains("\n#name = NAME\n")
        .doesNotContain("\n#yes =", "\n#tasks =", "\n#store =", "\n#json", "\n#prompt =");
    assertThat(build("--agent", "true", "-i", "1", "--prompt", "x").err())
        .doesNotContain("options from");
    assertThat(terminal.call("init").code()).isEqualTo(1);

    Files.createDirectory(folder.resolve("below"));
    Terminal below = new Terminal(folder.resolve("below"));
    assertThat(below.call("init", "--json").out()).contains("\"file\":\"");
    Files.delete(folder.resolve("below/.ralph.conf"));
    assertThat(below.call("init").err()).contains("this file replaces " + config);
  }

  @Test
  void everyUncommentedOption_isKnown() throws IOException {
    terminal.call("init");
    String text = Files.readString(config);
    for (String line : text.lines().filter(each -> each.matches("#[a-z-]+ = .*")).toList()) {
      write(line.substring(1));
      assertThat(build("--dry-run", "--prompt", "x").err())
          .as(line)
          .doesNotContain("has no option", "is for the command line");
    }
  }

  @Test
  void optionsInFile_configureBuild() throws IOException {
    write(
        "# how we build",
        "",
        "agent = sh -c 'echo  \"it = works\"'",
        "iterations=2",
        "gate = true",
        "  gate = sh -c 'exit 0'  ",
        "quiet = no");

    Result result = build("--prompt", "x");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out()).contains("  it = works", "after 2 iterations");
    assertThat(result.err())
        .contains("ralph: options from " + config + ": agent, gate, iterations\n");
  }

  @Test
  void byteOrderMarkInFile_isSkipped() throws IOException {
    write("\ufeffagent = true", "iterations = 1");

    assertThat(build("--prompt", "x").err()).contains("agent, iterations");
  }

  @Test
  void commandLine_overridesFile() throws IOException {
    write("agent = false", "iterations = 5", "template = nowhere", "gate = false");
    terminal.call("task", "add", "one");
    terminal.call("task", "done", "t1");
    terminal.call("complete");

    Result result = build("--prompt", "x", "--agent", "true", "-i", "1", "--gate", "true");

    assertThat(result.code()).as(result.out()).isZero();
    assertThat(result.out()).contains("gate passed: true");
    assertThat(result.err()).doesNotContain("options from");
  }

  @Test
  void optionsForDifferentAgent_areSkipped() throws IOException {
    write("model = some/model", "port = 5000", "iterations = 1");

    assertThat(build("--agent", "true", "--prompt", "x").code()).isEqualTo(3);
    write("agent = true", "model = some/model", "iterations = 1");
    assertThat(build("--prompt", "x").err())
        .contains(
            "ralph: model in "
                + config
                + ":2 is for opencode, claude, codex, copilot, gemini, kilo and acp:COMMAND");
  }

  @Test
  void file_isFoundFromSubfolderWithRelativePaths() throws IOException {
    Path below = Files.createDirectories(folder.resolve("a/b"));
    Files.writeString(folder.resolve("t"), "ours {{session}} {{inbox}} {{extra}}");
    Files.writeString(folder.resolve("what.md"), "# What\n");
    write("template = t", "spec = what.md", "extra = and more");

    Terminal inBelow = at(below);
    assertThat(inBelow.call("build", "--dry-run").out())
        .startsWith("ours auth")
        .endsWith("and more\n");
    assertThat(inBelow.call("tasks").err()).as("only build reads it").doesNotContain("options");
  }

  @Test
  void redactOption_decidesAboutSecrets() throws IOException {
    String secret = "sk-abcdefghijklmnopqrstuvwxyz012345";
    write("agent = sh -c 'echo my key is " + secret + "'", "iterations = 1", "redact = off");

    assertThat(build("--prompt", "x").err()).contains(": agent, iterations, redact\n");
    assertThat(terminal.call("iterations", "--transcript", "1").out()).contains(secret);

    Path below = Files.createDirectories(folder.resolve("below"));
    Terminal agents = at(below);
    assertThat(agents.call("note", "add", "--type", "info", "key " + secret).code()).isZero();
    assertThat(terminal.call("notes").out()).contains(secret);

    Terminal strict = at(below).with("RALPH_REDACT", "on");
    assertThat(strict.call("note", "add", "--type", "info", "other key " + secret).code()).isZero();
    assertThat(terminal.call("notes").out()).contains("other key [redacted");
  }

  @Test
  void missingRedactOption_redactsSecrets() throws IOException {
    write("# redact = off");
    terminal.call("task", "add", "one");
    terminal.call("note", "add", "--type", "info", "key sk-abcdefghijklmnopqrstuvwxyz012345");
    assertThat(terminal.call("notes").out()).contains("key [redacted");

    assertThat(terminal.with("RALPH_REDACT", "no").call("notes").err())
        .isEqualTo("ralph: RALPH_REDACT must be on or off, not 'no'\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "iteratons = 3      | 1: ralph build has no option 'iteratons'; did you mean iterations?",
        "xyzzy = 3          | 1: ralph build has no option 'xyzzy'; ralph build --help lists the options",
        "prompt = do it     | 1: 'prompt' is for the command line only; remove it from the file",
        "agent true         | 1: not an option; write NAME = VALUE, or # before a comment",
        "agent =            | 1: agent has no value; put # before the line to omit the option",
        "quiet = maybe      | 1: quiet must be yes or no, not 'maybe'",
        "model = a;model = b| 2: model was given before; give it once",
        "redact = no        | 1: redact must be on or off, not 'no'",
      })
  void invalidLine_isNamed(String text, String explanation) throws IOException {
    write(text.split(";"));

    Result result = build("--prompt", "x");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).isEqualTo("ralph: " + config + ":" + explanation + "\n");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timeout = 5        | timeout in FILE:2 must be a duration such as",
        "iterations = many  | iterations in FILE:2 must be a number from 0",
        "gate = it's broken | gate in FILE:2 'it's broken': a single quote is not closed",
        "agent = it's broken | agent in FILE:2 'it's broken': a single quote is not closed",
      })
  void invalidValue_isNamedWithLine(String line, String explanation) throws IOException {
    write("# first", line);

    Result result = build("--prompt", "x");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("ralph: " + explanation.replace("FILE", config.toString()));
  }

  @Test
  void danglingLink_isReported() throws IOException {
    Files.createSymbolicLink(config, folder.resolve("gone.conf"));

    Result result = build("--prompt", "x");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo("ralph: the file '" + config + "' is a link to a file that does not exist\n");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void binaryFile_isRefused() throws IOException {
    Files.write(config, new byte[] {'a', (byte) 0xff});

    assertThat(build("--prompt", "x").err())
        .isEqualTo("ralph: the file '" + config + "' is not valid UTF-8\n");
  }

  @Test
  void pipeInProject_isNotRead() throws Exception {
    Files.writeString(folder.resolve("SPEC.md"), "# A door\n");
    for (Path pipe : new Path[] {folder.resolve(".ralph.template"), config}) {
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      assertThat(build("--agent", "true", "-i", "1", "--spec", "SPEC.md").err())
          .contains(pipe + " is a pipe");
      Files.delete(pipe);
    }
  }

  @Test
  void generatedFile_replacesLinkAndKeepsTarget() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "mine");
    Path template = folder.resolve(".ralph.template");
    Files.createSymbolicLink(folder.resolve(config.getFileName() + ".part"), victim);
    Files.createSymbolicLink(folder.resolve(".ralph.template.part"), victim);
    Files.createSymbolicLink(template, victim);

    assertThat(terminal.call("init").code()).isZero();
    assertThat(terminal.call("gen-template", "--force").code()).isZero();

    assertThat(victim).hasContent("mine");
    assertThat(template).isRegularFile().isNotEmptyFile();
    assertThat(Files.isSymbolicLink(template)).isFalse();
    assertThat(config).isNotEmptyFile();
  }
}
