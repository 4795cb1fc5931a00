package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds files with unresolved conflicts of an unfinished merge, rebase or similar operation. */
public final class UnmergedFiles {

  private static final int OURS = 2;
  private static final int THEIRS = 3;

  private final Git git;
  private final Path root;

  /** Creates a view of a work tree with a top folder. */
  public UnmergedFiles(Git git, Path root) {
    this.git = git;
    this.root = root;
  }

  /** Returns the paths of files with unresolved conflicts. */
  public List<String> unresolved() throws InterruptedException {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, Map<Integer, String>> each : conflicts().entrySet()) {
      if (!isResolved(each.getKey(), each.getValue())) {
        found.add(each.getKey());
      }
    }
    return found;
  }

  /** Returns the blob of each side, by path and side. */
  private Map<String, Map<Integer, String>> conflicts() throws InterruptedException {
    Map<String, Map<Integer, String>> conflicts = new LinkedHashMap<>();
    String[] list = {"ls-files", "--unmerged", "-z"};
    for (String entry : GitTrees.require("git ls-files", git.run(list)).output().split("\0")) {
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
        return !Files.exists(file, LinkOption.NOFOLLOW_LINKS); // git writes the file of one side
      }
      content = Files.readAllBytes(file);
    } catch (IOException | InvalidPathException unreadable) {
      return false;
    }
    String text = new String(content, StandardCharsets.UTF_8);
    String theirs = sides.get(THEIRS);
    List<ConflictBlock> blocks = theirs == null ? List.of() : ConflictBlock.in(text);
    if (!blocks.isEmpty()) {
      String other = git.run("cat-file", "blob", String.valueOf(theirs)).output();
      if (blocks.stream().anyMatch(block -> block.isFrom(other))) {
        return false;
      }
    }
    boolean isText = text.indexOf('\0') < 0 && sides.containsKey(OURS) && theirs != null;
    // For a text, git writes both sides with markers; for other files, an unchanged side.
    return isText || !sides.containsValue(git.run("hash-object", "--", path).line());
  }
}
