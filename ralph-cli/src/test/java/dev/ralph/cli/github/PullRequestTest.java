package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.SearchPath;
import dev.ralph.log.Meta;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build --pr}. */
@Timeout(300)
class PullRequestTest {

  /** A gate in place of an agent: creates a file, which the loop commits. */
  private static final String WORK = "sh -c 'echo $$ >new.txt'";

  private static final String PAGE = "https://github.com/ann/shop/pull/7";

  @TempDir Path temporary;
  private GitHubFolder gitHub;
  private Terminal terminal;

  @BeforeEach
  void repository() throws Exception {
    gitHub = new GitHubFolder(temporary);
    terminal = gitHub.terminal();
  }

  /** Adds a completed task. */
  private void task(String text) {
    String added = terminal.call("task", "add", "--create", "--", text).out();
    String number = added.split(" ", 2)[0];
    assertThat(terminal.call("task", "done", number).code()).isZero();
  }

  private Result build(String gate, String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--agent", "true", "--pr"));
    words.addAll(List.of("--gate", gate, "-i", "1"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  private String pushed() throws Exception {
    String line = gitHub.git("ls-remote", "origin", "refs/heads/ralph/s");
    return line.isEmpty() ? "" : line.substring(0, line.indexOf('\t'));
  }

  @Test
  void completeSession_opensDraft() throws Exception {
    task("Add a dark mode");

    Result result = build(WORK);

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.out()).contains("opened the draft pull request " + PAGE);
    assertThat(gitHub.git("rev-parse", "ralph/s")).isEqualTo(pushed());
    assertThat(gitHub.git("show", "ralph/s:new.txt")).isNotEmpty();
    JsonNode sent = gitHub.sent().get(0);
    assertThat(sent.get("title").asText()).isEqualTo("Add a dark mode");
    assertThat(sent.get("head").asText()).isEqualTo("ralph/s");
    assertThat(sent.get("base").asText()).isEqualTo("main");
    assertThat(sent.get("draft").asBoolean()).isTrue();
    assertThat(sent.get("body").asText())
        .contains("is complete; all gates passed.", "- [x] t1 `Add a dark mode`", "echo $$");
    assertThat(gitHub.calls().get(2))
        .startsWith("<api><--hostname=github.com><--method=POST>")
        .endsWith("<--input=-><repos/ann/shop/pulls>");
    assertThat(gitHub.shop().resolve("new.txt")).doesNotExist();
    assertThat(gitHub.git("rev-list", "--count", "main")).isEqualTo("1");
  }

  @Test
  void json_hasAddress() {
    task("Add a dark mode");
    assertThat(build(WORK, "--json").out()).contains("\"pull_request\":\"" + PAGE + "\"");
  }

  @Test
  void branchOnlyHere_usesDefaultBranch() throws Exception {
    gitHub.git("checkout", "-q", "-b", "own");
    task("Add a dark mode");

    build(WORK);

    assertThat(gitHub.sent().get(0).get("base").asText()).isEqualTo("trunk");
  }

  @Test
  void laterRun_updatesSection() throws Exception {
    task("Add a dark mode");
    build(WORK);
    String body = "Before\n" + gitHub.sent().get(0).get("body").asText() + "After";
    String foreign =
        pull(6, "ralph/other", "ann/shop", body) + pull(5, "ralph/s", "eve/shop", body);
    gitHub.answer("pulls.json", "[" + foreign + pull(7, "ralph/s", "Ann/shop", body) + "{}]");
    String first = pushed();
    task("Add a light mode");

    Result result = build(WORK);

    assertThat(result.out()).as(result.err()).contains("updated the pull request " + PAGE);
    assertThat(pushed()).isNotEqualTo(first).isEqualTo(gitHub.git("rev-parse", "ralph/s"));
    JsonNode sent = gitHub.sent().get(1);
    assertThat(sent.has("title")).isFalse();
    assertThat(sent.get("body").asText())
        .startsWith("Before\n<!-- ralph s ")
        .contains("- [x] t2 `Add a light mode`")
        .endsWith(" -->\nAfter");
    assertThat(gitHub.calls())
        .anyMatch(call -> call.contains("<--method=PATCH>") && call.endsWith("pulls/7>"))
        .anyMatch(call -> call.contains("<--raw-field=head=ann:ralph/s>"));
  }

  /** Returns an open pull request as JSON, followed by a comma. */
  private static String pull(int number, String branch, String repository, String body) {
    Meta head = Meta.of("ref", branch).with("repo", Meta.of("full_name", repository));
    return Meta.of("number", number).with("head", head).with("body", body).json() + ",";
  }

  /** Neither a person nor a session of another store has marks of this session. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Mine",
        "<!-- ralph s -->\nMine\n<!-- /ralph s -->",
        "<!-- ralph s 0123456789ab -->\nMine\n<!-- /ralph s 0123456789ab -->",
      })
  void foreignDescription_isKept(String body) throws Exception {
    gitHub.answer("pulls.json", "[" + pull(7, "ralph/s", "ann/shop", body) + "{}]");
    task("Add a dark mode");

    assertThat(build(WORK).out()).contains(PAGE + "; its description is unchanged");
    assertThat(gitHub.sent()).isEmpty();
    assertThat(pushed()).isNotEmpty();
  }

  @Test
  void sessionWithoutCommit_pushesNothing() throws Exception {
    task("Add a dark mode");

    assertThat(build("true").out()).contains("no pull request: no commits on ralph/s");
    assertThat(pushed()).isEmpty();
    assertThat(gitHub.sent()).isEmpty();
  }

  /** The user has merged the work, and has not pushed it. */
  @Test
  void workMergedLocally_isPublished() throws Exception {
    gitHub.fail("api", 1, "no network\n");
    task("Add a dark mode");
    assertThat(build(WORK).code()).isEqualTo(1);
    assertThat(terminal.call("branch", "merge", "s").code()).isZero();
    gitHub.fail("api", 0, "");

    assertThat(build("true").out()).contains("opened the draft pull request " + PAGE);

    gitHub.git("push", "-q", "origin", "main");
    assertThat(build("true").out())
        .contains("no pull request: no commits on ralph/s that main on GitHub lacks");
  }

  @Test
  void workMergedOnGitHub_isNotPublished() throws Exception {
    task("Add a dark mode");
    build(WORK);
    Path clone = temporary.resolve("clone");
    gitHub.git("clone", "-q", "-b", "main", gitHub.origin().toString(), clone.toString());
    String[] merge = {"merge", "-q", "--no-ff", "-m", "Merge", "origin/ralph/s"};
    gitHub.git(
        Stream.concat(Stream.of("-C", clone.toString()), Stream.of(merge)).toArray(String[]::new));
    gitHub.git("-C", clone.toString(), "push", "-q", "origin", "HEAD:main");

    assertThat(build("true").out())
        .contains("no pull request: no commits on ralph/s that main on GitHub lacks");
    assertThat(gitHub.sent()).hasSize(1);
  }

  /** The work is complete, so the recorded end of the loop is not the end of the command. */
  @Test
  void failedRequest_isErrorInJson() throws Exception {
    gitHub.answer("pulls.json", "");
    task("Add a dark mode");

    Result failed = build(WORK, "--json");

    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.out()).contains("\"pull_request_error\":\"gh answered with invalid JSON");
    assertThat(build("true", "--json").out()).doesNotContain("\"pull_request_error\":null");
  }

  /** Each row is an address of origin, the host by the SSH configuration, and gh's argument. */
  @ParameterizedTest
  @CsvSource({
    "git@work:ann/shop, github.com, https://github.com/ann/shop",
    "git@work:/ann/shop.git, github.com, https://github.com/ann/shop.git",
    "work:ann/shop.git, ssh.github.com, https://github.com/ann/shop.git",
    "ssh://git@work:22/ann/shop, github.com, https://github.com/ann/shop",
    "ssh://work/ann/shop, git.example.org, https://git.example.org/ann/shop",
    "git@github.com:ann/shop, github.com, git@github.com:ann/shop",
    "git@work:ann/shop, --evil, git@work:ann/shop",
    "git@work:ann/shop, a/b, git@work:ann/shop",
    "git@work:ann/shop, '', git@work:ann/shop",
    "https://work/ann/shop, github.com, https://work/ann/shop",
  })
  void sshAlias_isResolved(String address, String host, String argument) throws Exception {
    Path ssh = temporary.toRealPath().resolve("bin/ssh");
    String script = "#!/bin/sh\n[ \"$1 $2\" = '-G --' ] && echo 'user git\nhostname %s'\n";
    Files.writeString(ssh, String.format(script, host));
    assertThat(ssh.toFile().setExecutable(true)).isTrue();
    gitHub.git("remote", "set-url", "origin", address);
    gitHub.fail("repo", 1, "unknown\n");

    assertThat(build("true").code()).isEqualTo(2);

    assertThat(gitHub.calls().get(0)).endsWith("<--><" + argument + ">");
  }

  @Test
  void failedRequest_isRepeatedByNextRun() throws Exception {
    gitHub.answer("pulls.json", "");
    task("Add a dark mode");

    Result failed = build(WORK);

    assertThat(failed.code()).as(failed.err()).isEqualTo(1);
    assertThat(failed.out())
        .contains(
            "no pull request: gh answered with invalid JSON",
            "repeat the command",
            "https://github.com/ann/shop/compare/main...ralph/s?expand=1");
    gitHub.answer("pulls.json", "[]");
    assertThat(build(WORK).out()).contains("opened the draft pull request " + PAGE);
  }

  /** The text would add the completed task again. */
  @Test
  void failedRequestOfText_isRepeatedWithoutText() throws Exception {
    gitHub.answer("pulls.json", "");
    task("Add a dark mode");

    Result failed = build(WORK, "Add a dark mode");

    assertThat(failed.code()).as(failed.err()).isEqualTo(1);
    assertThat(failed.out())
        .contains("; to try again: ralph build -n s --agent true --pr --gate ", " -i 1; by hand");
    gitHub.answer("pulls.json", "[]");
    assertThat(build(WORK, "-n", "s").out()).contains("opened the draft pull request " + PAGE);
    assertThat(terminal.call("tasks").out().lines()).hasSize(1);
  }

  @Test
  void foreignCommits_areNotOverwritten() throws Exception {
    task("Add a dark mode");
    build(WORK);
    gitHub.git("checkout", "-q", "-b", "other");
    gitHub.git("commit", "-q", "--allow-empty", "-m", "Of others");
    gitHub.git("push", "-q", "--force", "origin", "other:ralph/s");
    gitHub.git("checkout", "-q", "main");
    String theirs = pushed();
    task("Add a light mode");

    Result result = build(WORK);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("origin has commits on ralph/s that this branch lacks");
    assertThat(pushed()).isEqualTo(theirs);
  }

  @Test
  void originChangedInRun_pushesNothing() throws Exception {
    Path other = temporary.toRealPath().resolve("other.git");
    gitHub.git("init", "-q", "--bare", other.toString());
    task("Add a dark mode");

    Result result = build("sh -c 'echo x >new.txt; git remote set-url origin " + other + "'");

    assertThat(result.code()).as(result.out()).isEqualTo(1);
    assertThat(result.out()).contains("the remote origin was changed during the run");
    assertThat(gitHub.git("ls-remote", other.toString())).isEmpty();
    assertThat(gitHub.git("ls-remote", gitHub.origin().toString())).doesNotContain("ralph/s");
  }

  /** Texts of tasks reach neither a shell nor the arguments of gh. */
  @Test
  void textsOfTasks_areNoArguments() throws Exception {
    task("--repo=evil/evil $(touch hacked) `touch hacked` @file");

    Result result = build(WORK);

    assertThat(result.out()).as(result.err()).contains("opened the draft");
    assertThat(String.join("\n", gitHub.calls())).doesNotContain("evil", "hacked");
    try (Stream<Path> files = Files.walk(temporary)) {
      assertThat(files.filter(file -> file.endsWith("hacked"))).isEmpty();
    }
  }

  @Test
  void missingProgram_isRefusedBeforeRun() throws Exception {
    Path tools = Files.createDirectory(temporary.resolve("tools"));
    Path agent = Objects.requireNonNull(SearchPath.find("true"));
    Files.createSymbolicLink(tools.resolve("true"), agent);
    terminal.with("PATH", tools.toString());

    Result result = build("true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--pr needs gh", "https://cli.github.com", "gh auth login");
    assertThat(gitHub.shop().resolve(".ralph")).doesNotExist();
  }

  @Test
  void missingLogin_isRefusedBeforeRun() throws Exception {
    gitHub.fail("repo", 4, "To get started with GitHub CLI, please run:  gh auth login\n");

    Result result = build("true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("gh is not logged in to GitHub; run: gh auth login");
    assertThat(gitHub.shop().resolve(".ralph")).doesNotExist();
  }

  @Test
  void missingOrigin_isRefusedBeforeRun() throws Exception {
    gitHub.git("remote", "remove", "origin");

    Result result = build("true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("no remote 'origin'", "git remote add origin ADDRESS");
  }

  @Test
  void foreignOrigin_isRefusedBeforeRun() throws Exception {
    gitHub.fail("repo", 1, "none of the git remotes point to a known GitHub host\n");
    assertThat(build("true").err()).contains("the remote 'origin' can't be used", "known GitHub");
  }

  /** gh would read such a folder as a repository on GitHub. */
  @ParameterizedTest
  @ValueSource(strings = {"ann/shop", "../shop", "github.com/ann/shop"})
  void relativeOrigin_isRefusedBeforeRun(String folder) throws Exception {
    gitHub.git("remote", "set-url", "origin", folder);

    Result result = build("true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("the remote 'origin' is a folder", "git remote set-url origin ADDRESS");
    assertThat(gitHub.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://github.com/--x/y", "https://github.com/ann/..", "https://x"})
  void invalidAddress_isRefusedBeforeRun(String address) throws Exception {
    gitHub.answer("repo.json", "{\"url\":\"" + address + "\"}");

    assertThat(build("true").err()).contains("an invalid address of a repository");
  }

  /** The output of a server's hook is part of the reason. */
  @Test
  void controlCharactersOfServer_areEscaped() throws Exception {
    gitHub.git("checkout", "-q", "-b", "a#b");
    gitHub.git("push", "-q", "origin", "a#b");
    Path hook = gitHub.origin().resolve("hooks/pre-receive");
    Files.writeString(hook, "#!/bin/sh\nprintf '\\033[2Jno\\n' >&2\nexit 1\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    task("Add a dark mode");

    Result result = build(WORK);

    assertThat(result.code()).as(result.out()).isEqualTo(1);
    assertThat(result.out())
        .contains("no pull request: can't push to origin: ", "compare/a%23b...ralph/s?expand=1")
        .doesNotContain("\u001b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--shared-directory --agents 2 --agent true", "--detach"})
  void optionsWithoutBranch_areRefused(String options) {
    List<String> words = new ArrayList<>(List.of("build", "--pr", "-p", "x"));
    words.addAll(List.of(options.split(" ")));

    Result result = terminal.call(words.toArray(new String[0]));

    assertThat(result.code()).as(result.err()).isEqualTo(2);
    assertThat(result.err()).contains("--pr ");
  }

  @Test
  void dryRun_needsNoProgram() throws Exception {
    terminal.with("PATH", temporary.toString());
    assertThat(build("true", "-p", "Work", "--dry-run").code()).isZero();
    assertThat(gitHub.calls()).isEmpty();
  }

  @Test
  void optionInProjectFile_isRejected() throws Exception {
    Files.writeString(gitHub.shop().resolve(".ralph.conf"), "pr = yes\n");
    assertThat(terminal.call("build", "--agent", "true", "-p", "x", "--yes").code()).isEqualTo(2);
    assertThat(gitHub.calls()).isEmpty();
  }

  /**
   * The installed gh accepts all arguments, and then misses a login. Its settings are hidden,
   * because with a login the calls would use the network.
   */
  @Test
  void installedProgram_acceptsArguments() throws Exception {
    Path installed = SearchPath.find("gh");
    assumeThat(installed).as("gh is not installed; install Debian's package gh").isNotNull();
    Path settings = Files.createDirectory(temporary.resolve("settings"));
    gitHub.program(
        "#!/bin/sh\nexec env -u GH_TOKEN -u GITHUB_TOKEN -u GH_ENTERPRISE_TOKEN"
            + (" -u GITHUB_ENTERPRISE_TOKEN GH_CONFIG_DIR=" + settings + " " + installed)
            + " \"$@\"\n");
    gitHub.git("remote", "set-url", "origin", "https://github.com/ann/shop");
    Environment environment =
        Environment.of(
            Map.of("PATH", gitHub.path()),
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            gitHub.shop(),
            Terminal.LAUNCHER);
    GitHubCli gh = GitHubCli.of(environment, "--pr");
    GitHubRepository shop = new GitHubRepository("github.com", "ann", "shop", "main");
    Git git = new Git(gitHub.shop(), Duration.ofSeconds(30));

    List.<ThrowingCallable>of(
            () -> gh.repository(git),
            () -> gh.list(shop, "issues", List.of("state=open", "labels=--repo=x,@file")),
            () -> gh.send(shop, "POST", "pulls", Meta.of("title", "x")),
            () -> gh.send(shop, "PATCH", "pulls/7", Meta.of("body", "x")))
        .forEach(
            call ->
                assertThatThrownBy(call)
                    .isInstanceOf(UsageException.class)
                    .hasMessage("gh is not logged in to GitHub; run: gh auth login"));
  }
}
