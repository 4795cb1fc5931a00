package dev.ralph.core.internal.git.submodule;

import dev.ralph.core.internal.process.CommandResult;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Reads the links of a commit to other repositories, and the names of its submodules. */
public final class GitLinks {

  /** Runs git in a repository. */
  @FunctionalInterface
  public interface Runner {
    CommandResult run(String... arguments) throws InterruptedException;
  }

  private static final String LINK = "160000 commit ";

  private GitLinks() {}

  /**
   * Returns the linked commits of a tree by path; empty if git can't read the tree.
   *
   * @param tree a tree or commit
   */
  public static Map<String, String> of(Runner git, String tree) throws InterruptedException {
    Map<String, String> links = new TreeMap<>();
    CommandResult answer = git.run("ls-tree", "-r", "-d", "-z", "--full-tree", tree);
    for (String entry : answer.isGood() ? answer.output().split("\0") : new String[0]) {
      int tab = entry.indexOf('\t');
      if (entry.startsWith(LINK) && tab > 0) {
        links.put(entry.substring(tab + 1), entry.substring(LINK.length(), tab));
      }
    }
    return links;
  }

  /**
   * Returns the names of submodules by path, from {@code .gitmodules} of a tree. Omits names that
   * would lead out of the folder of modules.
   *
   * @param tree a tree or commit
   */
  public static Map<String, String> modules(Runner git, String tree) throws InterruptedException {
    Map<String, String> modules = new HashMap<>();
    CommandResult answer =
        git.run(
            "config",
            "-z",
            "--blob",
            tree + ":.gitmodules",
            "--get-regexp",
            "^submodule\\..*\\.path$");
    for (String entry : answer.isGood() ? answer.output().split("\0") : new String[0]) {
      String[] parts = entry.split("\n", 2);
      if (parts.length == 2) {
        String key = parts[0];
        String name = key.substring("submodule.".length(), key.length() - ".path".length());
        if (isSafe(name)) {
          modules.put(parts[1], name);
        }
      }
    }
    return modules;
  }

  /** Returns whether a submodule's name is a plain relative path that git itself would accept. */
  static boolean isSafe(String name) {
    if (name.isBlank() || name.startsWith("-") || name.length() > 500) {
      return false;
    }
    for (String part : name.split("/", -1)) {
      boolean isPlain =
          !part.isEmpty() && !part.equals(".") && !part.equals("..") && part.indexOf('\\') < 0;
      if (!isPlain || part.equalsIgnoreCase(".git") || part.chars().anyMatch(c -> c < ' ')) {
        return false;
      }
    }
    return true;
  }
}
