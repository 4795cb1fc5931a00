package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A clone of another user's repository, which contains a store that was forcibly added to git. */
@Timeout(600)
class ClonedRepositoryTest {

  private static final String LARGE = "large ".repeat(20_000);

  private static final String[][] COMMANDS = {
    {"sessions"},
    {"message", "hello"},
    {"message", LARGE},
    {"task", "add", "one more"},
    {"task", "claim", "--next", "--owner", "me"},
    {"build", "--agent", "true", "-i", "1", "--prompt", "x"},
    {"build", "--agent", "true", "-i", "1", "--prompt", "x", "--worktree"},
    {"agent", "session", "init", "--change", "add-login"},
    {"agent", "task", "done", "1.1", "--story", "1"},
    {"agent", "learn", "something"},
    {"agent", "session", "flush"},
    {"log"},
    {"verify", "--remove-leftovers"},
    {"init"},
    {"gen-template", "--force"},
    {"tx", "send", "core", "--id", "one", "hello"},
    {"delete"},
    {"message", "bye", "--create"},
    {"verify"}
  };

  @TempDir Path temp;
  private Path outside;
  private Path theirs;

  @BeforeEach
  void makeTheirRepository() throws Exception {
    theirs = Files.createDirectory(temp.resolve("theirs"));
    Terminal terminal = new Terminal(theirs).with("RALPH_SESSION", "auth");
    git(theirs, "init -q -b main .");
    assertThat(terminal.call("task", "add", "--create", "one").code()).isZero();
    terminal.call("task", "add", "two");
    terminal.call("message", LARGE);
    Path change = Files.createDirectories(theirs.resolve("openspec/changes/add-login"));
    Files.writeString(change.resolve("tasks.md"), "## 1. One\n- [ ] 1.1 a\n");
    Files.writeString(change.resolve("proposal.md"), "## Why\n");
    Files.createDirectories(store().resolve("derived/snapshots"));
    Files.createDirectories(store().resolve("derived/index"));
    Files.createDirectories(store().resolve("damaged"));
    Files.createDirectories(theirs.resolve(".ralph/worktrees"));
    Files.createDirectories(theirs.resolve(".ai/tx/msgs"));
  }

  private Path store() {
    return theirs.resolve(".ralph/store");
  }

  @Test
  void linkedStoreFiles_leaveTargetsUnchanged() throws Exception {
    for (String linked :
        List.of(
            ".ralph/store/log",
            ".ralph/store/log/00000001.jsonl",
            ".ralph/store/content",
            ".ralph/store/derived",
            ".ralph/store/derived/snapshots",
            ".ralph/store/derived/index",
            ".ralph/store/damaged",
            ".ralph/store/lock",
            ".ralph/worktrees",
            ".ralph.conf.part",
            ".ralph.template",
            ".ralph.template.part",
            "openspec",
            "openspec/changes/add-login/tasks.md",
            ".ai",
            ".ai/tx/msgs")) {
      assertHarmless(linked, path -> link(path, outside.resolve("target")));
    }
  }

  @Test
  void forgedErasurePlan_changesNothingOutside() throws Exception {
    makeOutside();
    for (String forged :
        List.of(
            "content " + outside.resolve("victim"),
            "content sha256-../../../../../outside/victim",
            "frame 1 700 60 abcdefg",
            "frame 1 100 2000000000 abcdefg",
            "notice ralph.auth.task x")) {
      assertHarmless(".ralph/store/erasing", path -> Files.writeString(path, forged + "\n"));
    }
  }

  private interface Change {
    void make(Path path) throws IOException;
  }

  /** Moves a path to a target, and replaces the path with a symbolic link to the target. */
  private static void link(Path path, Path target) throws IOException {
    if (Files.exists(path)) {
      Files.move(path, target);
    } else {
      Files.writeString(target, "mine\n");
    }
    Files.createSymbolicLink(path, target);
  }

  private void makeOutside() throws IOException {
    outside = temp.resolve("outside");
    delete(outside);
    Files.createDirectory(outside);
    Files.writeString(outside.resolve("victim"), "mine\n");
  }

  private void assertHarmless(String what, Change change) throws Exception {
    makeOutside();
    Path made = temp.resolve("made");
    Path clone = temp.resolve("clone");
    delete(made);
    delete(clone);
    git(temp, "--version"); // otherwise the copy below would fail silently
    new ProcessBuilder("cp", "-a", theirs.toString(), made.toString()).start().waitFor();
    delete(made.resolve(".ralph/store/.git"));
    Files.writeString(made.resolve(".ralph/store/damaged/x"), "x"); // git stores no empty folders
    change.make(made.resolve(what));
    git(made, "add -A -f . && git commit -q -m all");
    git(temp, "clone -q made clone");
    git(clone, "config user.name Somebody && git config user.email somebody@example.org");
    Map<String, String> before = state(outside);

    Terminal terminal = new Terminal(clone).with("RALPH_SESSION", "auth").with("RALPH_TX_AS", "me");
    List<String> said = new ArrayList<>();
    for (String[] command : COMMANDS) {
      Result result = terminal.call(command);
      said.add(command[0] + " " + result.code() + " " + result.err());
      assertThat(result.err()).as(what).doesNotContain("internal error", "\tat ");
    }

    assertThat(state(outside)).as(what + "\n" + String.join("", said)).isEqualTo(before);
  }

  private static void git(Path folder, String words) throws Exception {
    Process process =
        new ProcessBuilder("sh", "-c", "git " + words)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(words + ": " + out).isZero();
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static Map<String, String> state(Path folder) throws IOException {
    Map<String, String> state = new TreeMap<>();
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path path : found.toList()) {
        state.put(path.toString(), Files.readAttributes(path, "unix:ino,mode,size,ctime") + "");
      }
    }
    return state;
  }
}
