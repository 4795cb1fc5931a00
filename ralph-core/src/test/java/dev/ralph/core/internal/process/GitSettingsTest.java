package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Git reports the same changes under any configuration and environment. */
@Timeout(300)
class GitSettingsTest {

  private static final String CHANGES = " M a.txt\n M lib\n?? new/b.txt\n";

  @TempDir Path folder;
  private Path root;
  private Git git;

  @BeforeEach
  void repository() throws Exception {
    Path lib = repository(folder.resolve("lib"));
    root = repository(folder.resolve("root"));
    git = new Git(root, Duration.ofMinutes(2));
    ask("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.toString(), "lib");
    ask("commit", "--quiet", "-m", "lib");
    Files.writeString(root.resolve("a.txt"), "changed\n");
    Files.writeString(root.resolve("lib/a.txt"), "changed\n");
    Files.createDirectories(root.resolve("new"));
    Files.writeString(root.resolve("new/b.txt"), "b\n");
  }

  private static Path repository(Path root) throws Exception {
    Files.createDirectories(root);
    Git made = new Git(root, Duration.ofMinutes(2));
    assertThat(made.run("init", "--quiet", "-b", "main").isGood()).isTrue();
    made.run("config", "user.name", "Somebody");
    made.run("config", "user.email", "somebody@example.org");
    Files.writeString(root.resolve("a.txt"), "one\n");
    made.run("add", ".");
    assertThat(made.run("commit", "--quiet", "-m", "first").isGood()).isTrue();
    return root;
  }

  private String ask(String... arguments) throws Exception {
    CommandResult answer = git.run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.output();
  }

  private String changes() throws Exception {
    return ask("status", "--porcelain", "--", ":/", ":(top,exclude).ralph");
  }

  static Stream<List<String>> settings() {
    return Stream.of(
        List.of("status.showUntrackedFiles", "no"),
        List.of("status.showUntrackedFiles", "normal"),
        List.of("status.short", "true"),
        List.of("status.branch", "true"),
        List.of("status.renames", "copies"),
        List.of("diff.ignoreSubmodules", "all"),
        List.of("submodule.lib.ignore", "all"),
        List.of("submodule.lib.ignore", "dirty"),
        List.of("core.fsmonitor", "true"),
        List.of("core.untrackedCache", "true"),
        List.of("core.checkStat", "minimal"),
        List.of("core.quotePath", "false"),
        List.of("color.ui", "always"),
        List.of("color.status", "always"),
        List.of("core.ignoreCase", "true"));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void setting_doesNotHideChanges(List<String> setting) throws Exception {
    ask("config", setting.get(0), setting.get(1));
    assertThat(changes()).isEqualTo(CHANGES);
  }

  @Test
  void ignoredSubmoduleInModulesFile_isReported() throws Exception {
    ask("config", "--file", ".gitmodules", "submodule.lib.ignore", "all");
    assertThat(changes()).contains(" M lib\n");
    assertThat(git.run("diff", "--quiet", "--", "lib").isGood()).isFalse();
  }

  @Test
  void wrongIgnoreCase_doesNotHideNewFile() throws Exception {
    ask("config", "core.ignoreCase", "true");
    Files.writeString(root.resolve("A.TXT"), "other\n");
    assertThat(changes()).contains("?? A.TXT\n");
  }

  @Test
  void hostileDiffSettings_printPlainDiff() throws Exception {
    String plain = ask("diff", "--", "a.txt");
    for (String setting :
        List.of(
            "diff.external=false",
            "diff.noprefix=true",
            "diff.mnemonicPrefix=true",
            "diff.relative=true",
            "diff.orderFile=/nowhere",
            "color.diff=always")) {
      String[] parts = setting.split("=");
      ask("config", parts[0], parts[1]);
    }
    assertThat(plain).contains("--- a/a.txt\n+++ b/a.txt\n");
    assertThat(ask("diff", "--", "a.txt")).isEqualTo(plain);
  }

  @Test
  void textConversion_doesNotHideText() throws Exception {
    Files.writeString(root.resolve(".git/info/attributes"), "*.txt diff=blind\n");
    ask("config", "diff.blind.textconv", "true");
    assertThat(ask("diff", "--name-only", "-G", "changed", "--", "a.txt")).isEqualTo("a.txt\n");
  }

  @Test
  void replacedCommit_isNotFollowed() throws Exception {
    String head = ask("rev-parse", "HEAD").strip();
    String orphan = ask("commit-tree", "-m", "other", "HEAD^{tree}").strip();
    ask("replace", head, orphan);
    Files.writeString(root.resolve(".git/info/grafts"), head + "\n");
    assertThat(ask("rev-list", "--count", "HEAD")).isEqualTo("2\n");
  }

  @ParameterizedTest
  @MethodSource("mergeSettings")
  void mergeSetting_keepsContents(String setting) throws Exception {
    ask("branch", "work", "HEAD~1");
    Path tree = folder.resolve("tree");
    ask("worktree", "add", "--quiet", tree.toString(), "work");
    ask("branch", "more", work());
    ask("config", setting.split("=")[0], setting.split("=")[1]);
    Git there = new Git(tree, Duration.ofMinutes(2));

    CommandResult merged = there.run("merge", "--quiet", "--ff-only", "more");

    assertThat(merged.isGood()).as(merged.why()).isTrue();
    assertThat(ask("rev-parse", "work")).isEqualTo(ask("rev-parse", "more"));
    assertThat(tree.resolve("w")).hasContent("w\n");
  }

  private String work() throws Exception {
    String blob = git.runWith("w\n", "hash-object", "-w", "--stdin").line();
    String tree = git.runWith("100644 blob " + blob + "\tw\n", "mktree").line();
    return ask("commit-tree", "-p", "HEAD~1", "-m", "work", tree).strip();
  }

  static Stream<String> mergeSettings() {
    return Stream.of(
        "merge.verifySignatures=true",
        "merge.ff=false",
        "branch.work.mergeOptions=-s ours",
        "branch.work.mergeOptions=--no-ff",
        "branch.work.mergeOptions=--squash",
        "branch.work.mergeOptions=--verify-signatures");
  }

  @Test
  void environment_doesNotDecide() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessSpec.Builder spec =
        ProcessSpec.command(
            java,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            GitStatus.class.getName(),
            root.toString());
    for (String name : ask("rev-parse", "--local-env-vars").lines().toList()) {
      if (!name.startsWith("GIT_CONFIG_")) {
        spec.environment(name, "/nowhere");
      }
    }
    for (String mode : List.of("LITERAL", "GLOB", "NOGLOB", "ICASE")) {
      spec.environment("GIT_" + mode + "_PATHSPECS", "1");
    }
    spec.environment("GIT_EXTERNAL_DIFF", "false")
        .environment("GIT_NAMESPACE", "other")
        .environment("GIT_QUARANTINE_PATH", "/nowhere")
        .environment("GIT_CONFIG_COUNT", "2")
        .environment("GIT_CONFIG_KEY_0", "status.showUntrackedFiles")
        .environment("GIT_CONFIG_VALUE_0", "no")
        .environment("GIT_CONFIG_KEY_1", "submodule.lib.ignore")
        .environment("GIT_CONFIG_VALUE_1", "all")
        .environment("GIT_CONFIG_PARAMETERS", "'status.showuntrackedfiles'='no'");

    CommandResult answer = spec.run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);

    assertThat(answer.output()).as(answer.why()).isEqualTo(CHANGES + ask("rev-parse", "HEAD~1"));
  }

  @Test
  void configurationOfTheEnvironment_isKept() throws Exception {
    Git own =
        new Git(
            root,
            Duration.ofMinutes(2),
            Map.of(
                "GIT_CONFIG_COUNT",
                "1",
                "GIT_CONFIG_KEY_0",
                "user.name",
                "GIT_CONFIG_VALUE_0",
                "Else"));
    assertThat(own.run("config", "user.name").line()).isEqualTo("Else");
  }
}
