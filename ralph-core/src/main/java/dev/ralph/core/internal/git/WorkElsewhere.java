package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds work of an agent outside its branch: commits of the work tree on foreign branches, tags or
 * no branch, and stash entries of the branch. Commits of other work trees are ignored, because the
 * user works there.
 */
public final class WorkElsewhere {

  /** The reflog entries of HEAD that created a commit in the work tree. */
  private static final Pattern MADE =
      Pattern.compile(
          "(commit|cherry-pick|revert|am|pull|merge)\\b(?!.*: Fast-forward)(?!.*\\(start\\)).*"
              + "|rebase.*\\((pick|squash|fixup|reword|edit|continue)\\): .*");

  private static final Pattern FROM_NO_BRANCH =
      Pattern.compile("checkout: moving from [0-9a-f]{40,64} to .*");

  /** The length of a commit id in a message. */
  private static final int SHORT = 10;

  /** An entry of the reflog of HEAD. */
  private record Move(String from, String to, String message) {}

  private final Git git;
  private final Path log;

  /**
   * Creates a view of a work tree.
   *
   * @param git in the work tree
   * @param own the Git folder of the work tree
   */
  public WorkElsewhere(Git git, Path own) {
    this.git = git;
    this.log = own.resolve("logs/HEAD");
  }

  /** Returns the length of the reflog of HEAD in bytes, which is the start of later work. */
  public long position() {
    try {
      return Files.exists(log) ? Files.size(log) : 0;
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + log, e);
    }
  }

  /** Reads a position from a file; 0 if the file is missing. */
  public static long read(Path file) {
    try {
      String text = Files.isRegularFile(file) ? Files.readString(file).strip() : "";
      return text.matches("\\d{1,15}") ? Long.parseLong(text) : 0;
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + file, e);
    }
  }

  /** Writes a position to a file. */
  public static void write(Path file, long position) {
    try {
      Files.writeString(file, position + "\n");
    } catch (IOException e) {
      throw GitTrees.failed("can't write " + file, e);
    }
  }

  /** Returns the stash entries whose label names a branch, the newest first. */
  public List<String> stashes(String branch) throws InterruptedException {
    List<String> found = new ArrayList<>();
    CommandResult list = git.run("log", "--walk-reflogs", "--format=%H %gs", "refs/stash", "--");
    for (String line : list.isGood() ? list.output().lines().toList() : List.<String>of()) {
      String label = line.substring(line.indexOf(' ') + 1);
      if (label.startsWith("WIP on " + branch + ":") || label.startsWith("On " + branch + ":")) {
        found.add(line.substring(0, line.indexOf(' ')));
      }
    }
    return found;
  }

  /**
   * Returns branches and tags whose newest commit was created in this work tree and is missing on
   * the branch. Ignores commits on a remote branch, and commits whose changes the branch contains.
   *
   * @param since the {@link #position} at which the task began
   * @return short names of references
   */
  public List<String> references(String branch, long since) throws InterruptedException {
    Set<String> made = made(since);
    List<String> found = new ArrayList<>();
    if (made.isEmpty()) {
      return found;
    }
    String head = SessionNames.head(branch);
    String[] list = {
      "for-each-ref", "--format=%(objectname) %(*objectname) %(refname)", "refs/heads", "refs/tags"
    };
    for (String line : git.run(list).output().lines().toList()) {
      String[] fields = line.split(" ");
      String commit = fields.length == 3 && !fields[1].isEmpty() ? fields[1] : fields[0];
      String ref = fields[fields.length - 1];
      if (made.contains(commit) && !ref.equals(head) && isMissing(commit, head)) {
        found.add(ref.replaceFirst("^refs/(heads|tags)/", ""));
      }
    }
    return found;
  }

  /**
   * Returns abandoned commits of this work tree, created on no branch. They are missing on the
   * branch, and no reference contains them.
   */
  public List<String> abandoned(String branch, long since) throws InterruptedException {
    List<String> found = new ArrayList<>();
    Set<String> made = made(since);
    for (Move move : moves(since)) {
      if (FROM_NO_BRANCH.matcher(move.message()).matches()
          && made.contains(move.from())
          && !found.contains(move.from())
          && isMissing(move.from(), SessionNames.head(branch))
          && git.run("for-each-ref", "--count=1", "--contains", move.from()).line().isEmpty()) {
        found.add(move.from());
      }
    }
    return found;
  }

  /**
   * Returns the reason why a task is incomplete, with the remedy.
   *
   * @param name the name of a reference, or a commit
   */
  public static String reason(String name, String branch) {
    return "commits on "
        + name
        + " are not on "
        + branch
        + "; merge them (git merge "
        + name
        + "), or delete them if unneeded";
  }

  /** Returns the reason why a task is incomplete because of a stash entry, with the remedy. */
  public static String stashReason(String entry, String branch) {
    return "changes are in the stash (git stash list) and not on "
        + branch
        + "; apply them (git stash apply "
        + entry.substring(0, SHORT)
        + ") and commit, then delete the entry by git stash drop";
  }

  private boolean isMissing(String commit, String head) throws InterruptedException {
    if (GitTrees.isWithin(git, commit, head)) {
      return false;
    }
    String[] remote = {"for-each-ref", "--count=1", "--contains", commit, "refs/remotes"};
    if (!git.run(remote).line().isEmpty()) {
      return false;
    }
    // A cherry-pick or squash merge copies the changes to another commit.
    CommandResult merged = git.run("merge-tree", "--write-tree", head, commit);
    return !merged.isGood() || !merged.line().equals(git.run("rev-parse", head + "^{tree}").line());
  }

  private Set<String> made(long since) {
    Set<String> made = new LinkedHashSet<>();
    for (Move move : moves(since)) {
      if (MADE.matcher(move.message()).matches()) {
        made.add(move.to());
      }
    }
    return made;
  }

  private List<Move> moves(long since) {
    List<Move> moves = new ArrayList<>();
    try {
      byte[] all = Files.exists(log) ? Files.readAllBytes(log) : new byte[0];
      int from = since > all.length ? 0 : (int) since; // a shorter log was rewritten
      String text = new String(all, from, all.length - from, StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        String[] parts = line.split("\t", 2);
        String[] fields = parts[0].split(" ", 3);
        if (parts.length == 2 && fields.length == 3) {
          moves.add(new Move(fields[0], fields[1], parts[1]));
        }
      }
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + log, e);
    }
    return moves;
  }
}
