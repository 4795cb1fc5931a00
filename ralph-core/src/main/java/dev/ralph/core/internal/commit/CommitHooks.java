package dev.ralph.core.internal.commit;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.gate.GateRun;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.SearchPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The hooks {@code pre-commit} and {@code commit-msg} of a repository as of the start of a run.
 * They run from a copy, in a session without a terminal and with an empty standard input. Not
 * thread-safe.
 */
public final class CommitHooks {

  static final String COMMIT_MSG = "commit-msg";

  /** The hook that examines the staged files. */
  public static final String PRE_COMMIT = "pre-commit";

  /** The remedy of a refusal by a hook that cannot pass here. */
  static final String REMEDY = "To run no Git hooks: --no-hooks";

  private static final String NOTE =
      "The hook runs without a terminal and without standard input. ";

  private static final List<String> KNOWN = List.of(PRE_COMMIT, COMMIT_MSG);

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration GRACE = Duration.ofSeconds(5);

  /**
   * The prefix of the copies in the repository's Git folder, followed by the process that created
   * them.
   */
  private static final String PLACE = "ralph-hooks-";

  /** The number of attempts to start a hook whose file another child still has open. */
  private static final int MOST_TRIES = 20;

  private static final int CANNOT_RUN = 126;

  private final Path common;
  private final @Nullable HookFiles files;
  private final Set<String> usable = new HashSet<>();
  private final Set<String> changed = new HashSet<>();
  private final Consumer<String> notices;

  private CommitHooks(Path common, @Nullable HookFiles files, Consumer<String> notices) {
    this.common = common;
    this.files = files;
    this.notices = notices;
  }

  /**
   * Reads the hooks that a commit in a checkout would run.
   *
   * @param checkout the top folder, which is the base of a relative {@code core.hooksPath}
   * @param isWanted whether hooks are enabled
   * @param notices receives a sentence for each hook that can't run, now and later
   * @throws InterruptedException if the thread is interrupted
   */
  public static CommitHooks find(Path checkout, boolean isWanted, Consumer<String> notices)
      throws InterruptedException {
    Git git = new Git(checkout, PATIENCE);
    Path common = GitTrees.common(git, checkout);
    removeLeft(common);
    Path folder = isWanted ? folder(git, checkout, common, notices) : null;
    try {
      HookFiles files = folder == null ? null : HookFiles.read(folder, KNOWN);
      CommitHooks hooks = new CommitHooks(common, files, notices);
      hooks.findUsable(folder);
      return hooks;
    } catch (IOException e) {
      throw GitTrees.failed("can't read the hooks in " + folder, e);
    }
  }

  private static @Nullable Path folder(
      Git git, Path checkout, Path common, Consumer<String> notices) throws InterruptedException {
    CommandResult set = git.run("config", "--type=path", "--get", "core.hooksPath");
    String path = set.isGood() ? set.line() : "";
    if (path.isEmpty() || path.equals("/dev/null")) {
      Path usual = common.resolve("hooks");
      return path.isEmpty() && Files.isDirectory(usual) ? usual : null;
    }
    Path folder = checkout.resolve(path).normalize();
    if (!Files.isDirectory(folder)) {
      notices.accept(
          "core.hooksPath names the folder "
              + folder
              + ", which does not exist, so no Git hook runs; create the folder (for example by"
              + " npm install) or unset core.hooksPath");
      return null;
    }
    return folder;
  }

  private void findUsable(@Nullable Path folder) {
    HookFiles own = files;
    if (own == null) {
      return;
    }
    for (String hook : KNOWN) {
      String missing = missingInterpreter(own.firstLine(hook));
      if (own.has(hook) && !own.isExecutable(hook)) {
        skipped(hook, folder, "the file is not executable; run chmod +x");
      } else if (missing != null) {
        skipped(
            hook,
            folder,
            "the interpreter "
                + RalphException.quote(missing)
                + " does not exist; correct the first line of the hook (\\u000d is a carriage"
                + " return, remove it)");
      } else if (own.has(hook)) {
        usable.add(hook);
      }
    }
  }

  private void skipped(String hook, @Nullable Path folder, String why) {
    notices.accept("the Git hook " + hook + " in " + folder + " does not run, because " + why);
  }

  /** Returns the interpreter in a script's first line; null if the interpreter exists. */
  static @Nullable String missingInterpreter(String firstLine) {
    if (!firstLine.startsWith("#!")) {
      return null;
    }
    String[] words = firstLine.substring(2).replaceFirst("^[ \t]+", "").split("[ \t]+");
    boolean isByEnv = words[0].endsWith("/env") && words.length > 1 && !words[1].startsWith("-");
    if (!Files.isExecutable(Path.of(words[0].replace('\0', ' ')))) {
      return words[0];
    }
    return isByEnv && SearchPath.find(words[1]) == null ? words[1] : null;
  }

  /** Returns whether the hook {@code pre-commit} runs before commits. */
  public boolean hasPreCommit() {
    return usable.contains(PRE_COMMIT);
  }

  boolean hasCommitMsg() {
    return usable.contains(COMMIT_MSG);
  }

  /** The time limit of hooks, the mark of their processes, and the redactor of their output. */
  public record Limits(Duration limit, ProcessMark mark, Redactor redactor) {

    /** Returns a copy with another time limit. */
    public Limits within(Duration other) {
      return new Limits(other, mark, redactor);
    }
  }

  /**
   * Runs {@code pre-commit} on the staged files of a work tree. Changes of the hook to tracked
   * files are staged too. If the hook leaves nothing to commit, the staged files are restored.
   *
   * @param root the top folder of the work tree, whose files equal the staged files
   * @return a failed verdict with the output and the remedy if the hook rejects the commit
   * @throws InterruptedException if the thread is interrupted; no process of the hook is left
   */
  public Verdict preCommit(Path root, Limits limits) throws InterruptedException {
    if (!hasPreCommit()) {
      return Verdict.passed();
    }
    Git git = Git.alone(root, Duration.ofMinutes(30));
    String before = ask(git, "write-tree");
    HookStash stash = HookStash.of(git);
    Verdict verdict = run(PRE_COMMIT, root, List.of(), limits, NOTE + REMEDY).verdict();
    if (stash.putBack()) {
      ask(git, "read-tree", "--reset", "-u", before);
      usable.remove(PRE_COMMIT);
      notices.accept(
          "the Git hook pre-commit removed an earlier entry from the stash; the entry is"
              + " restored, and the hook is disabled for this run");
      return Verdict.passed();
    }
    if (!verdict.isPassed()) {
      return verdict;
    }
    GitTrees.require("git add in " + root, git.run("add", "--update", "--", ":/", GitTrees.DATA));
    if (git.run("diff", "--cached", "--quiet").isGood()
        && !ask(git, "rev-parse", "HEAD^{tree}").equals(before)) {
      ask(git, "read-tree", "--reset", "-u", before);
      return Verdict.failed("The Git hook pre-commit left nothing to commit.\n" + REMEDY);
    }
    return verdict;
  }

  private static String ask(Git git, String... arguments) throws InterruptedException {
    return GitTrees.require("git " + arguments[0], git.run(arguments)).line();
  }

  /**
   * The result of a hook.
   *
   * @param message the message file after the hook; empty if the hook has no message
   */
  record Outcome(Verdict verdict, String message) {}

  /** Runs {@code commit-msg} on a message in a folder. */
  Outcome commitMsg(String message, Path folder, Limits limits) throws InterruptedException {
    return run(COMMIT_MSG, folder, List.of(message.strip() + "\n"), limits, "");
  }

  /**
   * @param note text after the output of a failed hook
   */
  private Outcome run(String hook, Path folder, List<String> message, Limits limits, String note)
      throws InterruptedException {
    reportChange(hook);
    Path place = null;
    try {
      place = Files.createTempDirectory(common, PLACE + ProcessHandle.current().pid() + "-");
      HookFiles own = files;
      if (own == null) {
        return new Outcome(Verdict.passed(), "");
      }
      List<String> command = new ArrayList<>(SearchPath.withoutTerminal());
      command.add(own.unpack(place.resolve("hooks")).resolve(hook).toString());
      Path file = place.resolve("COMMIT_EDITMSG");
      if (!message.isEmpty()) {
        Files.writeString(file, message.get(0));
        command.add(file.toString());
      }
      Verdict verdict = run(command, folder, limits, note);
      return new Outcome(verdict, message.isEmpty() ? "" : Files.readString(file));
    } catch (IOException e) {
      throw GitTrees.failed("can't prepare the Git hook " + hook + " in " + common, e);
    } finally {
      remove(place);
    }
  }

  private static Verdict run(List<String> command, Path folder, Limits limits, String note)
      throws InterruptedException {
    for (int tries = 1; ; tries++) {
      GateRun run = new GateRun(command, folder, limits.mark(), limits.redactor());
      Optional<Verdict> verdict = run.run(limits.limit(), GRACE);
      if (verdict.isEmpty()) {
        return Verdict.failed(
            "The hook exceeded its time limit of " + limits.limit().toSeconds() + " s. " + note);
      }
      Integer code = verdict.get().exitCode();
      boolean isBusy =
          code != null
              && code == CANNOT_RUN
              && verdict.get().reason().contains("Text file busy"); // opened by another child
      if (!isBusy || tries == MOST_TRIES) {
        return code == null || code == 0 || note.isEmpty()
            ? verdict.get()
            : Verdict.ofExit(code, output(run) + "\n" + note);
      }
      Thread.sleep(50);
    }
  }

  private static String output(GateRun run) {
    String lines = run.lastLines();
    return lines.isEmpty() ? "(no output)" : lines;
  }

  private void reportChange(String hook) {
    HookFiles own = files;
    if (own != null && own.isChanged(hook) && changed.add(hook)) {
      notices.accept(
          "the Git hook "
              + hook
              + " was changed since this run began; the original hook stays in use");
    }
  }

  /** Removes copies of killed processes. */
  private static void removeLeft(Path common) {
    try (Stream<Path> all = Files.list(common)) {
      for (Path each : all.toList()) {
        String name = String.valueOf(each.getFileName());
        if (name.matches(PLACE + "\\d{1,18}-.*")
            && ProcessHandle.of(Long.parseLong(name.split("-")[2])).isEmpty()) {
          remove(each);
        }
      }
    } catch (IOException stays) {
      // A leftover copy is harmless.
    }
  }

  private static void remove(@Nullable Path place) {
    if (place == null) {
      return;
    }
    try (Stream<Path> all = Files.walk(place)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException stays) {
      // A later run removes the copy.
    }
  }
}
