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

/** Finds files of a begun merge, rebase or the like whose conflicts are not resolved. */
public final class UnmergedFiles {

  private static final int OURS = 2;
  private static final int THEIRS = 3;

  private final Git git;
  private final Path root;

  /** Creates a view of a work tree with this top folder. */
  public UnmergedFiles(Git git, Path root) {
    this.git = git;
    this.root = root;
  }

  /** Returns the paths of files with a conflict that nobody has resolved. */
  public List<String> unresolved() throws InterruptedException {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, Map<Integer, String>> each : conflicts().entrySet()) {
      if (!isResolved(each.getKey(), each.getValue())) {
        found.add(each.getKey());
      }
    }
    return found;
  }

  /** Returns the blobs of each side, by path and side. */
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
        return !Files.exists(file, LinkOption.NOFOLLOW_LINKS); // git leaves one side's file there
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
    // Of a text, git leaves both sides with markers; of other files, one side as it was.
    return isText || !sides.containsValue(git.run("hash-object", "--", path).line());
  }
}
