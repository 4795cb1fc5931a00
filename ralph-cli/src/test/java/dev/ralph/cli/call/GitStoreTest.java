package dev.ralph.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store in a work tree: git must ignore it, and commands warn about tracked files of a store. */
class GitStoreTest {

  @TempDir Path temp;
  private Path folder;
  private Terminal terminal;

  @BeforeEach
  void makeRepository() throws Exception {
    folder = Files.createDirectory(temp.resolve("work tree"));
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    git("init -q .");
    Files.writeString(folder.resolve("code"), "first");
    git("add -A && git commit -q -m first");
  }

  @Test
  void newStore_isIgnoredByGit() throws Exception {
    Result made = terminal.call("task", "add", "--create", "one");
    assertThat(made.err()).isEmpty();
    assertThat(git("status --porcelain")).isEmpty();
    assertThat(git("add -A && git ls-files")).isEqualTo("code\n");
    assertThat(terminal.call("doctor").out()).doesNotContain("git tracks");
  }

  @Test
  void trackedStore_isReportedOnceAndByDoctor() throws Exception {
    makeTracked();
    Result first = terminal.call("message", "hello");
    assertThat(first.code()).isZero();
    assertThat(first.err()).startsWith("ralph: warning: git tracks files of the store");
    assertThat(terminal.call("message", "again").err()).isEmpty();

    Result doctor = terminal.call("doctor");
    assertThat(doctor.code()).isEqualTo(1);
    assertThat(doctor.out()).contains("git: git tracks files of the store").contains("git rm -r");
    String told = doctor.out().lines().filter(line -> line.contains("run: ")).findFirst().get();
    git("status && " + told.substring(told.indexOf("run: ") + 5));

    assertThat(terminal.call("doctor").out()).doesNotContain("git tracks");
    git("reset -q --hard && git stash -u");
    assertThat(terminal.call("inbox").out()).contains("hello", "again");
    assertThat(terminal.call("verify").out()).isEqualTo("No damage\n");
  }

  @Test
  void forciblyTrackedStore_isReportedByVerify() throws Exception {
    terminal.call("task", "add", "--create", "one");
    Files.delete(store().resolve(".git/HEAD")); // otherwise git refuses to add the store
    git("add -f .ralph && git commit -q -m store");
    terminal.call("message", "lost");
    git("reset -q --hard");

    Result verify = terminal.call("verify");
    assertThat(verify.code()).isEqualTo(1);
    assertThat(verify.out()).contains("log/00000001.jsonl").contains("were acknowledged");
    assertThat(verify.err()).contains("warning: git tracks files of the store", "git rm -r");
  }

  @Test
  void newStoreAtTrackedPath_isWarnedAbout() throws Exception {
    makeTracked();
    deleteStore();
    Result made = terminal.call("task", "add", "--create", "one");
    assertThat(made.code()).isZero();
    assertThat(made.err()).contains("ralph: warning: git tracks files of the store");
  }

  @Test
  void deletedStore_isReportedAndReplaceable() throws Exception {
    terminal.call("task", "add", "one");
    git("clean -q -ffdx");
    String was = "the store at " + store() + " was deleted";

    Result refused = terminal.call("message", "hello");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).startsWith("ralph: no store in").contains(was);
    assertThat(terminal.call("doctor").out()).contains(was);

    Path below = Files.createDirectory(folder.resolve("below"));
    assertThat(new Terminal(below).call("tasks", "-n", "auth").err()).contains(was);

    Result made = terminal.call("task", "add", "two");
    assertThat(made.code()).isZero();
    assertThat(made.err()).startsWith("ralph: warning: " + was);
    assertThat(terminal.call("task", "add", "three").err()).isEmpty();
    assertThat(terminal.call("tasks").out()).hasLineCount(2);
  }

  @Test
  void linkedWorkTreeWithoutStore_reportsNoDeletion() throws Exception {
    terminal.call("task", "add", "one");
    git("worktree add -q ../linked -b b");
    Terminal linked = new Terminal(temp.resolve("linked")).with("RALPH_SESSION", "auth");
    assertThat(linked.call("message", "hello").err())
        .contains("no store")
        .doesNotContain("there was");
    assertThat(linked.call("task", "add", "one").err()).doesNotContain("there was");
  }

  @Test
  void doctor_explainsRiskOfGitClean() throws Exception {
    Files.writeString(folder.resolve(".gitignore"), "*\n!*/\n!code\n");
    terminal.call("task", "add", "one");
    assertThat(terminal.call("doctor").out())
        .contains("note git: git clean -fdx and git stash -a would delete the store: ")
        .contains("has the line !*/");
    Files.delete(folder.resolve(".gitignore"));
    terminal.call("task", "add", "two");
    assertThat(terminal.call("doctor").out()).doesNotContain("git clean");
  }

  @Test
  void storeWithForeignGitFolder_isRefused() throws Exception {
    terminal.call("task", "add", "one");
    Files.createDirectory(store().resolve(".git/hooks"));
    for (String command : new String[] {"tasks", "verify", "status", "log"}) {
      Result refused = terminal.call(command);
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains(".ralph/store/.git holds hooks", "Move it away");
    }
    Result doctor = terminal.call("doctor");
    assertThat(doctor.code()).isEqualTo(1);
    assertThat(doctor.out()).contains(".ralph/store/.git holds hooks");
  }

  @Test
  void storeRevertedByGit_isDamageUntilResolved() throws Exception {
    makeTracked();
    terminal.call("message", "lost");
    git("checkout -q -- .");
    Result verify = terminal.call("verify");
    assertThat(verify.code()).isEqualTo(1);
    assertThat(verify.out()).contains("log/00000001.jsonl").contains("were acknowledged");

    assertThat(terminal.call("message", "next").code()).isZero();
    assertThat(terminal.call("inbox").out()).contains("next").doesNotContain("lost");
    assertThat(terminal.call("verify").code()).isEqualTo(1);
    Files.delete(store().resolve("rolled-back"));
    assertThat(terminal.call("verify").code()).isZero();
  }

  @Test
  void pathThroughLink_isResolvedByFileSystem() throws Exception {
    Path elsewhere = Files.createDirectories(temp.resolve("elsewhere/inner"));
    Files.createSymbolicLink(folder.resolve("link"), elsewhere);
    terminal.call("task", "add", "--create", "--store", "link/../st", "one");
    assertThat(temp.resolve("elsewhere/st/log")).isDirectory();
    assertThat(folder.resolve("st")).doesNotExist();
    assertThat(terminal.call("tasks", "--store", temp.resolve("elsewhere/st").toString()).out())
        .contains("one");
  }

  @Test
  void pathOutsideUtf8_isRefused() {
    Result refused = terminal.call("task", "add", "--create", "--store", "caf\ufffd", "one");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("not UTF-8");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder(".git", "code");
  }

  private Path store() {
    return folder.resolve(".ralph/store");
  }

  /** Creates a store that was forcibly added to git before it had its own repository. */
  private void makeTracked() throws Exception {
    terminal.call("task", "add", "--create", "one");
    Files.delete(store().resolve(".git/HEAD"));
    git("add -f .ralph && git commit -q -m store");
    Files.delete(store().resolve(".gitignore")); // git tracks a store without this file
  }

  private void deleteStore() throws Exception {
    git("version && rm -r .ralph");
  }

  private String git(String command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", "git " + command);
    builder.directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    for (String who : new String[] {"AUTHOR", "COMMITTER"}) {
      builder.environment().put("GIT_" + who + "_NAME", "test");
      builder.environment().put("GIT_" + who + "_EMAIL", "test@localhost");
    }
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    return said;
  }
}
