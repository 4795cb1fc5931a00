package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.tool.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents and gates that cannot start, found before any agent runs. */
@Timeout(300)
class LoopStartTest extends LoopFixture {

  private final AtomicInteger turns = new AtomicInteger();

  @BeforeEach
  void repository() throws Exception {
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.writeString(folder.resolve(".gitignore"), "copied.sh\n.ralph\n");
    script("good.sh", "#!/bin/sh\nexit 0\n", true);
    script("plain.sh", "#!/bin/sh\nexit 0\n", false);
    script("foreign.sh", "#!/no/such/interpreter\n", true);
    script("env.sh", "#!/usr/bin/env no-such-interpreter\n", true);
    Files.createDirectory(folder.resolve("sub"));
    script("sub/inner.sh", "#!/bin/sh\nexit 0\n", true);
    git("add", ".");
    git("commit", "--quiet", "-m", "begin");
    script("untracked.sh", "#!/bin/sh\nexit 0\n", true);
    script("copied.sh", "#!/bin/sh\nexit 0\n", true);
    session.tasks().add("one");
  }

  private void git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
  }

  private void script(String name, String text, boolean isExecutable) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    assertThat(file.toFile().setExecutable(isExecutable)).isTrue();
  }

  private Loop.Builder several(Agent agent) {
    return loop(agent).agents(2).maxIterations(2).doneWhen(now -> true);
  }

  private AgentResult idle() {
    turns.incrementAndGet();
    session.tasks().list().open().forEach(task -> session.tasks().complete(task.id()));
    return AgentResult.success();
  }

  private void assertRefused(LoopResult result, String... words) {
    assertThat(result.reason()).isEqualTo(StopReason.CANNOT_START);
    assertThat(result.detail()).contains(words);
    assertThat(result.iterations()).isZero();
    assertThat(session.iterations().list()).isEmpty();
    assertThat(turns).hasValue(0);
  }

  @ParameterizedTest
  @CsvSource({
    "no-such-program, PATH",
    "/no/such/program, no such file",
    "./none.sh, no such file",
    "./plain.sh, chmod +x",
    "./sub, directory",
    "./foreign.sh, interpreter",
    "./env.sh, no-such-interpreter",
    "./untracked.sh, commit the file",
    "./copied.sh, --copy"
  })
  void gateUnableToStart_endsSeveralAgents(String program, String word) {
    assertRefused(several(turn -> idle()).gate(Gate.of(program)).run(), program, word);
  }

  @ParameterizedTest
  @CsvSource({
    "no-such-program, PATH",
    "/no/such/program, no such file",
    "./none.sh, no such file",
    "./plain.sh, chmod +x",
    "./sub, directory",
    "./foreign.sh, interpreter"
  })
  void gateUnableToStart_endsASingleAgent(String program, String word) {
    assertRefused(
        loop(turn -> idle()).maxIterations(2).gate(Gate.of(program)).run(), program, word);
  }

  @ParameterizedTest
  @CsvSource({"true", "./good.sh", "sub/inner.sh"})
  void gateInCommit_starts(String program) {
    LoopResult result = several(turn -> idle()).gate(Gate.of(program)).run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"./copied.sh", "./untracked.sh"})
  void copiedGate_starts(String program) {
    LoopResult result =
        several(turn -> idle())
            .workspaces(places -> places.copy(Path.of(program)))
            .gate(Gate.of(program))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void gateOfSetUp_starts() {
    LoopResult result =
        several(turn -> idle())
            .workspaces(places -> places.setUp(List.of("cp", "good.sh", "copied.sh")))
            .gate(Gate.of("./copied.sh"))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @ParameterizedTest
  @CsvSource({
    "./none.sh, no such file",
    "./plain.sh, chmod +x",
    "./untracked.sh, commit the file",
    "./foreign.sh, interpreter"
  })
  void agentUnableToStart_endsSeveralAgents(String program, String word) {
    assertRefused(
        session
            .loop(CommandAgent.of(program))
            .tools(Tools.mcp(""))
            .directory(folder)
            .agents(2)
            .run(),
        program,
        word);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sh untracked.sh",
        "sh ./untracked.sh --quick",
        "sh -eu untracked.sh",
        "env A=1 bash -o pipefail new/inner.sh"
      })
  void uncommittedScriptOfInterpreter_cannotStart(String line) throws Exception {
    Files.createDirectory(folder.resolve("new"));
    script("new/inner.sh", "exit 0\n", false);
    String[] words = line.split(" ");
    CommandAgent agent = CommandAgent.of(List.of(words));

    assertRefused(
        several(turn -> idle()).gate(Gate.of(List.of(words))).run(), ".sh", "commit the file");
    Loop.Builder team = session.loop(agent).tools(Tools.mcp("")).directory(folder).agents(2);
    assertRefused(team.run(), ".sh", "--copy");
    Worktree tree = Worktree.open(folder, "s");
    Loop.Builder one = session.loop(agent).tools(Tools.mcp("")).directory(tree.folder());
    assertRefused(one.run(), ".sh", "commit the file");
    assertRefused(
        loop(turn -> idle()).directory(tree.folder()).gate(Gate.of(List.of(words))).run(),
        ".sh",
        "commit");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sh good.sh",
        "sh sub/inner.sh untracked.sh",
        "sh $FOLDER/untracked.sh",
        "sh -c true untracked.sh",
        "true untracked.sh",
      })
  void scriptInCommitOrAbsolute_starts(String line) {
    String[] words = line.replace("$FOLDER", folder.toString()).split(" ");
    LoopResult result = several(turn -> idle()).gate(Gate.of(List.of(words))).run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void ignoredScript_mayBeMadeByAnEarlierGate() {
    LoopResult result =
        several(turn -> idle())
            .gate(Gate.of("cp", "good.sh", "copied.sh"))
            .gate(Gate.of("sh", "copied.sh"))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void copiedScript_starts() {
    LoopResult result =
        several(turn -> idle())
            .workspaces(places -> places.copy(Path.of("copied.sh")))
            .gate(Gate.of("sh", "copied.sh"))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void agentUnableToStart_endsLoopInWorkTree() throws Exception {
    Worktree tree = Worktree.open(folder, "s");
    assertRefused(
        session
            .loop(CommandAgent.of("./untracked.sh"))
            .tools(Tools.mcp(""))
            .directory(tree.folder())
            .run(),
        "./untracked.sh",
        "commit the file");
  }
}
