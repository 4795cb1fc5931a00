package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.ConflictBlock;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A merge, rebase or the like that an agent has not brought to its end. Where all conflicts are
 * resolved it is committed as any work is. Otherwise it must not become a merge: what the other
 * side changed in a file in conflict would be gone without anybody seeing it. So it is kept on a
 * branch beside, and undone.
 */
final class UnfinishedMerge {

  private static final int OURS = 2;
  private static final int THEIRS = 3;

  private final SessionRepository repository;
  private final Git git;
  private final Path root;
  private final Path own;

  UnfinishedMerge(SessionRepository repository, Git git, Path root, Path own) {
    this.repository = repository;
    this.git = git;
    this.root = root;
    this.own = own;
  }

  /** Ends it. */
  void end(String branch) throws InterruptedException {
    boolean rebasing = has("rebase-merge") || has("rebase-apply");
    Map<String, Map<Integer, String>> conflicts = conflicts();
    boolean resolved = true;
    for (Map.Entry<String, Map<Integer, String>> each : conflicts.entrySet()) {
      resolved &= isResolved(each.getKey(), each.getValue());
    }
    if (!rebasing && resolved) {
      if (has("CHERRY_PICK_HEAD") || has("REVERT_HEAD") || has("sequencer")) {
        quit("cherry-pick"); // would end a merge too
      }
      return;
    }
    repository.ask(git, "add", "--all", "--sparse", "--", ":/", GitTrees.DATA);
    String tree = repository.ask(git, "write-tree");
    if (!tree.equals(repository.ask(git, "rev-parse", "HEAD^{tree}"))) {
      String message = "What an agent had merged when it was ended";
      String kept = repository.tell(git, message, "commit-tree", tree, "-p", "HEAD", "-F", "-");
      repository.notice(
          "an agent was ended in the middle of a merge on "
              + branch
              + "; its state is kept on "
              + repository.keepBeside(branch, kept));
    }
    for (String each : List.of("merge", "rebase", "am", "cherry-pick", "revert")) {
      quit(each);
    }
    repository.ask(git, "reset", "--quiet", "--hard");
  }

  private boolean has(String name) {
    return Files.exists(own.resolve(name));
  }

  /** Forgets what was begun, and leaves files and index as they are. */
  private void quit(String what) throws InterruptedException {
    git.run(what, "--quit"); // says so where nothing was begun
  }

  /** Returns the blobs of each side, by path and side. */
  private Map<String, Map<Integer, String>> conflicts() throws InterruptedException {
    Map<String, Map<Integer, String>> conflicts = new LinkedHashMap<>();
    for (String entry : repository.ask(git, "ls-files", "--unmerged", "-z").split("\0")) {
      int tab = entry.indexOf('\t');
      if (tab > 0) {
        String[] fields = entry.substring(0, tab).split(" "); // mode, blob, side
        conflicts
            .computeIfAbsent(entry.substring(tab + 1), path -> new HashMap<>())
            .put(Integer.valueOf(fields[2]), fields[1]);
      }
    }
    return conflicts;
  }

  private boolean isResolved(String path, Map<Integer, String> sides) throws InterruptedException {
    byte[] content;
    try {
      Path file = root.resolve(path);
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return !Files.exists(file, LinkOption.NOFOLLOW_LINKS); // git leaves one side's file there
      }
      content = Files.readAllBytes(file);
    } catch (IOException | InvalidPathException cantBeTold) {
      return false;
    }
    String text = new String(content, StandardCharsets.ISO_8859_1);
    String theirs = sides.get(THEIRS);
    List<ConflictBlock> blocks = theirs == null ? List.of() : ConflictBlock.in(text);
    if (!blocks.isEmpty()) {
      String other =
          new String(
              repository.ask(git, "cat-file", "blob", theirs).getBytes(StandardCharsets.UTF_8),
              StandardCharsets.ISO_8859_1);
      if (blocks.stream().anyMatch(block -> block.isFrom(other))) {
        return false;
      }
    }
    boolean isText = text.indexOf('\0') < 0 && sides.containsKey(OURS) && sides.containsKey(THEIRS);
    // Of a text, git leaves both sides with marks; of what else there is, one side as it was.
    return isText || !sides.containsValue(repository.ask(git, "hash-object", "--", path));
  }
}
