package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A repository with a bare {@code origin}, and a script in place of {@code gh} that records its
 * arguments and its input. Answers come from files of the script's folder.
 */
final class GitHubFolder {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String GH =
      """
      #!/bin/sh
      here=${0%/*}
      { for word; do printf '<%s>' "$word"; done; echo; } >>"$here/calls"
      if [ -f "$here/fail-$1" ]; then
        cat "$here/fail-$1" >&2
        exit "$(cat "$here/code")"
      fi
      page=1
      for word; do
        case $word in --raw-field=page=*) page=${word##*=} ;; esac
      done
      case "$*" in
        repo*) cat "$here/repo.json" ;;
        *--method=GET*issues) cat "$here/issues-$page.json" ;;
        *--method=GET*pulls) cat "$here/pulls.json" ;;
        *) cat >>"$here/sent"; echo >>"$here/sent"; echo '{"number":7}' ;;
      esac
      """;

  private final Path shop;
  private final Path origin;
  private final Path bin;
  private final Terminal terminal;

  GitHubFolder(Path temporary) throws Exception {
    Path folder = temporary.toRealPath();
    shop = Files.createDirectory(folder.resolve("shop"));
    origin = folder.resolve("origin.git");
    bin = Files.createDirectory(folder.resolve("bin"));
    terminal = new Terminal(shop).with("RALPH_SESSION", "s").with("PATH", path());
    program(GH);
    answer(
        "repo.json",
        "{\"url\":\"https://github.com/ann/shop\",\"defaultBranchRef\":{\"name\":\"trunk\"}}");
    answer("pulls.json", "[]");
    git("init", "-q", "-b", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@localhost");
    git("commit", "-q", "--allow-empty", "-m", "Begin");
    git("init", "-q", "--bare", origin.toString());
    git("remote", "add", "origin", origin.toString());
    git("push", "-q", "origin", "main", "main:trunk");
  }

  /** Sets the script in place of gh. */
  void program(String script) throws IOException {
    Path program = Files.writeString(bin.resolve("gh"), script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  /** Returns the variable PATH with the script. */
  String path() {
    return bin + ":" + System.getenv("PATH");
  }

  Path shop() {
    return shop;
  }

  Path origin() {
    return origin;
  }

  Terminal terminal() {
    return terminal;
  }

  /** Sets the answer in a file of the script. */
  void answer(String file, String text) throws IOException {
    Files.writeString(bin.resolve(file), text);
  }

  /** Makes a command of the script fail; an empty reason makes the command succeed. */
  void fail(String command, int code, String reason) throws IOException {
    Files.writeString(bin.resolve("code"), String.valueOf(code));
    Path file = bin.resolve("fail-" + command);
    if (reason.isEmpty()) {
      Files.delete(file);
    } else {
      Files.writeString(file, reason);
    }
  }

  /** Returns the recorded calls, each word in angle brackets. */
  List<String> calls() throws IOException {
    Path calls = bin.resolve("calls");
    return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
  }

  /** Returns the objects sent to GitHub. */
  List<JsonNode> sent() throws IOException {
    List<JsonNode> sent = new ArrayList<>();
    Path file = bin.resolve("sent");
    for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
      sent.add(JSON.readTree(line));
    }
    return sent;
  }

  String git(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=A", "-c", "user.email=a@localhost"));
    command.addAll(List.of(words));
    Path log = bin.resolve("git.log");
    Process process =
        new ProcessBuilder(command)
            .directory(shop.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(command + ": " + Files.readString(log)).isZero();
    return Files.readString(log).strip();
  }
}
