package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A project from another user runs no commands until the current user trusts it. */
class TrustTest {

  /** Control characters with which a file tries to hide its commands. */
  private static final String HIDDEN = "\u001b[2K\u001b[1A\u202e";

  @TempDir Path folder;
  private Path project;
  private Path state;
  private Path harm;
  private Terminal terminal;

  @BeforeEach
  void cloneAHostileProject() throws IOException {
    project = Files.createDirectories(folder.resolve("clone"));
    Files.createDirectory(project.resolve(".git"));
    state = folder.resolve("state");
    harm = Files.createDirectory(folder.resolve("harm"));
    config(
        "agent = " + touch("agent"),
        "gate = " + touch("gate"),
        "on-question = " + touch("question"),
        "on-failure = " + touch("failure"),
        "on-end = sh -c 'touch " + harm + "/end' " + HIDDEN,
        "spec = /etc/passwd",
        "iterations = 1",
        "redact = off");
    terminal = at(project);
  }

  private Terminal at(Path place) {
    return new Terminal(place)
        .with("RALPH_SESSION", "auth")
        .with("XDG_STATE_HOME", state.toString());
  }

  private String touch(String name) {
    return "touch " + harm.resolve(name);
  }

  private void config(String... lines) throws IOException {
    Files.writeString(project.resolve(".ralph.conf"), String.join("\n", lines) + "\n");
  }

  private Result build(String... more) {
    List<String> words = new ArrayList<>(List.of("build"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  private void nothingWasRun() {
    assertThat(harm).isEmptyDirectory();
  }

  private void wasRun(String... names) {
    for (String name : names) {
      assertThat(harm.resolve(name)).exists();
    }
  }

  // ---- before trust

  @Test
  void untrustedBuild_listsCommandsAndRunsNothing() {
    Result result = build();

    nothingWasRun();
    assertThat(project.resolve(".ralph")).doesNotExist();
    assertThat(state).doesNotExist();
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            "ralph build reads from "
                + project.resolve(".ralph.conf")
                + ":\n  runs  agent = "
                + touch("agent")
                + "\n  runs  gate = "
                + touch("gate")
                + "\n  runs  on-question = "
                + touch("question")
                + "\n  runs  on-failure = "
                + touch("failure")
                + "\n  runs  on-end = sh -c 'touch "
                + harm
                + "/end' \\u001b[2K\\u001b[1A\\u202e"
                + "\n        spec = /etc/passwd\n        iterations = 1\n        redact = off\n"
                + "ralph: nothing was run, because you have not trusted the present version of "
                + project.resolve(".ralph.conf")
                + "; to trust it, run: ralph trust (or build with --yes)\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "build --prompt x",
        "build --agent true --gate true",
        "build --prompt x --json",
        "build --dry-run",
        "build --dry-run --prompt x --quiet",
        "build --change no-such-change",
        "message hello",
        "task add one",
        "task done t1",
        "complete",
        "status",
        "doctor",
        "verify",
        "gen-template --stdout",
        "note add --type info x",
        "sessions",
        "init",
        "trust --revoke",
      })
  void everyCommand_runsNothingUntrusted(String words) {
    terminal.call(words.split(" "));

    nothingWasRun();
    assertThat(state).doesNotExist();
  }

  @Test
  void commandLineOptions_doNotReplaceTrust() {
    assertThat(build("--agent", "true", "--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  @Test
  void file_cannotTrustItself() throws IOException {
    config("yes = yes", "agent = " + touch("agent"));

    Result result = build("--prompt", "x");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains(":1: 'yes' is for the command line only; remove it from the file");
    nothingWasRun();
  }

  @Test
  void untrustedFile_cannotTurnRedactionOff() {
    String key = "sk-abcdefghijklmnopqrstuvwxyz012345";
    terminal.call("task", "add", "one");
    terminal.call("note", "add", "--type", "info", "my key is " + key);
    assertThat(terminal.call("notes").out()).contains("my key is [redacted").doesNotContain(key);

    assertThat(terminal.call("trust").code()).isZero();
    terminal.call("note", "add", "--type", "info", "again " + key);
    assertThat(terminal.call("notes").out()).contains("again " + key);
  }

  @Test
  void fileWithoutOptions_needsNoTrust() throws IOException {
    config("# agent = rm -rf /", "");

    assertThat(build("--agent", "true", "-i", "1", "--prompt", "x").code()).isEqualTo(3);
  }

  // ---- the trust command

  @Test
  void trust_showsFileAndIsAskedOnce() {
    Result trusted = terminal.call("trust");

    assertThat(trusted.code()).as(trusted.err()).isZero();
    assertThat(trusted.out())
        .startsWith("ralph build reads from " + project.resolve(".ralph.conf") + ":\n")
        .contains("\n  runs  gate = " + touch("gate") + "\n", "\\u001b[2K")
        .endsWith("\nTrusted: " + project.resolve(".ralph.conf") + "\n");
    nothingWasRun();

    Result built = build("--prompt", "x");
    assertThat(built.err()).doesNotContain("would take", "trust");
    wasRun("agent", "end");
  }

  @Test
  void changedFile_needsNewTrust() throws IOException {
    terminal.call("trust");
    Path file = project.resolve(".ralph.conf");
    String before = Files.readString(file);
    Files.writeString(file, before.replace("iterations = 1", "iterations = 2"));

    Result changed = build("--prompt", "x");
    assertThat(changed.code()).isEqualTo(2);
    assertThat(changed.err()).contains("        iterations = 2\n");
    nothingWasRun();

    Files.writeString(file, before);
    assertThat(build("--prompt", "x").err()).doesNotContain("trust");
    wasRun("agent");
  }

  @Test
  void copiedFile_needsNewTrust() throws IOException {
    terminal.call("trust");
    Path other = Files.createDirectories(folder.resolve("other"));
    Files.copy(project.resolve(".ralph.conf"), other.resolve(".ralph.conf"));

    assertThat(at(other).call("build", "--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  @Test
  void trust_holdsForEveryPathToFile() throws IOException {
    terminal.call("trust");
    Path link = Files.createSymbolicLink(folder.resolve("link"), project);
    Path below = Files.createDirectories(project.resolve("a/b"));

    assertThat(at(link).call("build", "--prompt", "x").err()).doesNotContain("trust");
    assertThat(at(below).call("build", "--prompt", "x").err()).doesNotContain("trust");
  }

  @Test
  void revocation_coversEveryTrustedVersion() throws IOException {
    Path file = project.resolve(".ralph.conf");
    String before = Files.readString(file);
    terminal.call("trust");
    Files.writeString(file, "iterations = 1\n");
    terminal.call("trust");

    Result revoked = terminal.call("trust", "--revoke");
    assertThat(revoked.out()).isEqualTo("No longer trusted: " + file + "\n");
    assertThat(terminal.call("trust", "--revoke").code()).isEqualTo(1);

    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    Files.writeString(file, before);
    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  @Test
  void yesOption_trustsWithoutQuestion() {
    assertThat(build("--prompt", "x", "--yes").err()).doesNotContain("trusted", "warning");
    wasRun("agent", "end");
  }

  @Test
  void yesOption_needsNoStateFolder() throws IOException {
    String key = "sk-abcdefghijklmnopqrstuvwxyz012345";
    config("agent = echo " + key, "iterations = 1", "redact = off");
    Terminal homeless = new Terminal(project).with("RALPH_SESSION", "auth");

    assertThat(homeless.call("trust").err()).contains("set HOME or XDG_STATE_HOME");
    Result built = homeless.call("build", "--prompt", "x", "--yes");

    assertThat(built.code()).as(built.err()).isEqualTo(3);
    assertThat(homeless.call("iterations", "--transcript", "1").out()).contains(key);
  }

  @Test
  void missingFile_hasNothingToTrust() throws IOException {
    Files.delete(project.resolve(".ralph.conf"));

    Result result = terminal.call("trust");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).startsWith("ralph: nothing to trust: ");
  }

  @Test
  void jsonAnswer_namesTrustedFiles() {
    String file = project.resolve(".ralph.conf").toString();
    assertThat(terminal.call("trust", "--json").line())
        .isEqualTo("{\"v\":1,\"kind\":\"trust\",\"trusted\":[\"" + file + "\"]}");
    assertThat(terminal.call("trust", "--revoke", "--json").line())
        .isEqualTo("{\"v\":1,\"kind\":\"trust\",\"revoked\":[\"" + file + "\"]}");
    assertThat(build("--json").err()).startsWith("{\"v\":1,\"kind\":\"error\"").hasLineCount(1);
  }

  // ---- the question

  @ParameterizedTest
  @ValueSource(strings = {"y\n", "yes\n", "Y\nrest", " YES "})
  void confirmedQuestion_trustsProject(String answer) {
    Result result = terminal.terminals("02").type(answer, "build", "--prompt", "x");

    assertThat(result.err())
        .contains("\nDo you trust these options and all commands they run? [y/N] ");
    wasRun("agent");
    assertThat(build("--prompt", "x").err()).as("no second question").doesNotContain("trust");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "n\n", "no\n", "yep\n", "\u001b[A\n"})
  void unconfirmedQuestion_runsNothing(String answer) {
    Result result = terminal.terminals("02").type(answer, "build", "--prompt", "x");

    assertThat(result.code()).isEqualTo(2);
    nothingWasRun();
    assertThat(state).doesNotExist();
  }

  @Test
  void pipedAnswer_isNotAccepted() {
    assertThat(terminal.terminals("02").pipe("y\n", "build").code()).isEqualTo(2);
    nothingWasRun();
  }

  // ---- stored trust

  @Test
  void trustRecord_isPrivate() throws IOException {
    terminal.call("trust");

    Path record = record();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(record)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(record.getParent())))
        .isEqualTo("rwx------");
    assertThat(Files.readAllLines(record).get(0))
        .isEqualTo(project.toRealPath().resolve(".ralph.conf").toString());
  }

  private Path record() throws IOException {
    try (Stream<Path> files = Files.list(state.resolve("ralph/trusted"))) {
      return files.findAny().orElseThrow();
    }
  }

  @Test
  void trustRecordWritableByGroup_isIgnored() throws IOException {
    terminal.call("trust");
    Path record = record();
    Files.setPosixFilePermissions(record, PosixFilePermissions.fromString("rw-rw----"));
    assertThat(build("--prompt", "x").code()).isEqualTo(2);

    Files.setPosixFilePermissions(record, PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(record.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    assertThat(terminal.call("trust").err()).contains("ralph/trusted is writable by other users");
    nothingWasRun();
  }

  @Test
  void linkedTrustRecord_isIgnored() throws IOException {
    terminal.call("trust");
    Path record = record();
    Path elsewhere = Files.move(record, folder.resolve("elsewhere"));
    Files.createSymbolicLink(record, elsewhere);

    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  @Test
  void foreignTrustRecord_isIgnored() throws IOException {
    assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0));
    terminal.call("trust");
    Files.setAttribute(record(), "unix:uid", 65_534);

    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  @Test
  void foreignTrustFolder_isIgnored() throws IOException {
    assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0));
    terminal.call("trust");
    Files.setAttribute(record().getParent(), "unix:uid", 65_534);

    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    assertThat(terminal.call("trust").code()).isEqualTo(1);
    nothingWasRun();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "/\n0000\n", "\u0000\n\n"})
  void invalidTrustRecord_trustsNothing(String text) throws IOException {
    terminal.call("trust");
    Files.writeString(record(), text);

    assertThat(build("--prompt", "x").code()).isEqualTo(2);
    nothingWasRun();
  }

  // ---- other files that run commands or read files

  @Test
  void checksOfChange_needTrust() throws IOException {
    change();
    Files.delete(project.resolve(".ralph.conf"));
    Files.writeString(
        project.resolve("openspec/verify"), "check: " + touch("check") + "\ntest: true\n");

    Result refused = buildChange();
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .contains(
            "ralph build reads from " + project.resolve("openspec/verify") + ":\n",
            "  runs  check: " + touch("check") + "\n  runs  test: true\n");
    nothingWasRun();
    assertThat(project.resolve(".ralph")).doesNotExist();

    assertThat(terminal.call("trust").out())
        .contains("Trusted: " + project.resolve("openspec/verify"));
    assertThat(buildChange().code()).isZero();
    wasRun("check");

    Files.writeString(project.resolve("openspec/verify"), "test: " + touch("test") + "\n");
    assertThat(buildChange().code()).isEqualTo(2);
    assertThat(harm.resolve("test")).doesNotExist();
  }

  @Test
  void checksOfWorkTreeBranch_needTrust() throws Exception {
    change();
    Files.delete(project.resolve(".ralph.conf"));
    Path verify = project.resolve("openspec/verify");
    Files.writeString(verify, "test: " + touch("branch") + "\n");
    shell(
        """
        rm -rf .git
        git init -q
        git config user.name A
        git config user.email a@localhost
        git config commit.gpgsign false
        git add -A
        git commit -qm Hostile
        """);
    Files.writeString(verify, "test: true\n");
    terminal.call("trust");

    Result refused = buildChange("--worktree");

    assertThat(refused.code()).as(refused.err()).isEqualTo(2);
    assertThat(refused.err()).contains("  runs  test: " + touch("branch") + "\n");
    nothingWasRun();
    String said = refused.err();
    String command =
        said.substring(said.indexOf("run: (cd ") + "run: ".length(), said.indexOf(" (or build"));
    assertThat(command).endsWith(" && ralph trust)");
    Path tree = project.resolve(".ralph/worktrees/add-house");
    assertThat(command).contains(tree.toString());
    assertThat(tree.resolve("openspec/verify")).exists();
    assertThat(at(tree).call("trust").out()).contains("Trusted: " + tree);

    assertThat(buildChange("--worktree").err()).doesNotContain("LOCKED", "another", "trusted");
    wasRun("branch");
  }

  private void shell(String script) throws Exception {
    Process made =
        new ProcessBuilder("sh", "-ec", script).directory(project.toFile()).inheritIO().start();
    assertThat(made.waitFor()).isZero();
  }

  @Test
  void buildFiles_areTrustedOnce() throws IOException {
    change();
    Files.delete(project.resolve(".ralph.conf"));
    Files.writeString(project.resolve("Makefile"), "test:\n\t" + touch("make") + "\n");

    Result refused = buildChange();
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .contains("derives from the build files of the project:\n  runs  test: make test\n");
    nothingWasRun();

    assertThat(buildChange("--yes", "--gate", "false").code()).isEqualTo(3);
    wasRun("make");
    Files.writeString(project.resolve("Makefile"), "lint:\n\ttrue\ntest:\n\ttrue\n");
    assertThat(buildChange().code()).isZero();
  }

  private void change() throws IOException {
    Path change = Files.createDirectories(project.resolve("openspec/changes/add-house"));
    Files.writeString(change.resolve("tasks.md"), "## 1. Doors\n- [ ] 1.1 a door\n");
    Files.writeString(
        project.resolve("tick.sh"), "sed -i 's/\\[ ]/[x]/' openspec/changes/add-house/tasks.md\n");
  }

  private Result buildChange(String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--change", "add-house"));
    words.addAll(List.of("--agent", "sh tick.sh", "-i", "1"));
    words.addAll(List.of(more));
    return new Terminal(project)
        .with("XDG_STATE_HOME", state.toString())
        .call(words.toArray(new String[0]));
  }

  @Test
  void templateLinkOutOfProject_isNotRead() throws IOException {
    Path secret = Files.writeString(folder.resolve("id_rsa"), "PRIVATE KEY");
    Files.delete(project.resolve(".ralph.conf"));
    Files.createDirectory(project.resolve("specs"));
    Files.writeString(project.resolve("specs/SPEC.md"), "# What\n");
    Path template = Files.createSymbolicLink(project.resolve(".ralph.template"), secret);

    Result found = build("--dry-run");
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.out() + found.err()).doesNotContain("PRIVATE");
    assertThat(found.err())
        .contains("'" + template + "' is a link to a file outside of its folder, '" + secret);

    assertThat(build("--dry-run", "--template", ".ralph.template").out()).contains("PRIVATE");
    Files.move(template, project.resolve("t"));
    config("template = t", "agent = true");
    assertThat(build("--yes").err()).contains("is a link to a file outside of its folder");
    config("template = " + secret);
    assertThat(build("--dry-run").out()).as("unchanged template").contains("PRIVATE");
  }

  @Test
  void filesOfForeignUserAbove_areNotRead() throws IOException {
    assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0));
    Files.writeString(project.resolve(".ralph.template"), "theirs {{tools}}");
    Files.setAttribute(project.resolve(".ralph.template"), "unix:uid", 65_533);
    Files.setAttribute(project.resolve(".ralph.conf"), "unix:uid", 65_533);
    terminal = at(Files.createDirectory(project.resolve("below")));
    terminal.call("task", "add", "one");

    Result dry = build("--dry-run");

    assertThat(dry.code()).as(dry.err()).isZero();
    assertThat(dry.out()).doesNotContain("theirs");
    assertThat(dry.err())
        .contains(".ralph.conf belongs to another user and is ignored")
        .contains(".ralph.template belongs to another user and is ignored");
  }

  /**
   * Git uses the hooks and settings of a bare repository, although its files are ordinary files of
   * the clone.
   */
  @Test
  void bareRepositoryInClone_runsNoHooks() throws Exception {
    shell(
        """
        git init -q first
        cd first
        git -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m first
        git clone -q --bare . ../trap
        cd ../trap
        printf '#!/bin/sh\\ntouch HARM/hook\\n' >hooks/post-checkout
        chmod +x hooks/post-checkout
        mkdir ../tree
        git config core.bare false
        git config core.worktree ../tree
        git config core.fsmonitor 'touch HARM/fsmonitor'
        """
            .replace("HARM", harm.toString()));
    Files.delete(project.resolve(".ralph.conf"));
    terminal = at(project.resolve("trap"));
    nothingWasRun();

    build("--worktree", "--agent", "true", "--prompt", "x", "-i", "1");
    build("--agent", "true", "--prompt", "x", "-i", "1");
    terminal.call("doctor");

    nothingWasRun();
  }
}
