package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The ignore rules of a commit and of the user, in the syntax of a {@code .gitignore} file at the
 * top of a work tree. Rules that agents added are excluded.
 *
 * @param text the rules, one per line, in ascending order of precedence
 */
public record IgnoreRules(String text) {

  /** The folder in the repository's Git folder. */
  private static final String PLACE = "ralph";

  /** The suffix of files with the user's rules before a run. */
  private static final String RUN = ".ignore-before";

  /** The file with the lines that agents added to the user's rules. */
  private static final String ADDED = "agent-ignore";

  private static final String MARK = "\uFEFF";

  /** The special characters of patterns. */
  private static final String SPECIAL = "\\*?[";

  /**
   * Reads the rules of a commit, and the user's present rules in {@code core.excludesFile} and
   * {@code info/exclude}.
   *
   * @param git in the repository
   * @param common the Git folder of the repository
   * @param base the commit
   */
  public static IgnoreRules of(Git git, Path common, String base) throws InterruptedException {
    return new IgnoreRules(
        String.join("\n", users(git, common)) + "\n" + String.join("\n", ofCommit(git, base)));
  }

  /** Returns the user's rules in ascending order of precedence, without lines added by agents. */
  public static List<String> users(Git git, Path common) throws InterruptedException {
    List<String> lines = new ArrayList<>(read(excludesFile(git)));
    lines.addAll(read(common.resolve("info/exclude")));
    Set<String> added = new HashSet<>(read(added(common)));
    lines.removeIf(added::contains);
    for (Path file : runs(common)) {
      lines.retainAll(new HashSet<>(read(file)));
    }
    return lines;
  }

  /**
   * Saves the user's rules before a run; until its end, later rules do not count as the user's. The
   * saved rules of a killed run are kept.
   */
  static void beginRun(Git git, Path common, String session) throws InterruptedException {
    Path file = run(common, session);
    if (!Files.exists(file)) {
      write(file, users(git, common));
    }
  }

  /** Ends a run. Lines added during the run never count as the user's rules. */
  static void endRun(Git git, Path common, String session) throws InterruptedException {
    Path file = run(common, session);
    List<String> before = read(file);
    List<String> now = new ArrayList<>(read(excludesFile(git)));
    now.addAll(read(common.resolve("info/exclude")));
    now.removeAll(before);
    if (Files.exists(file)) {
      addByAgent(common, now);
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw GitTrees.failed("can't delete " + file, e);
    }
  }

  /** Returns the saved rules of a run. */
  static List<String> saved(Path common, String session) {
    return read(run(common, session));
  }

  /** Returns the lines that never count as the user's rules. */
  static List<String> addedByAgents(Path common) {
    return read(added(common));
  }

  /** Restores the files of a run if an agent has changed or deleted them. */
  static void restore(Path common, String session, List<String> saved, List<String> added) {
    Path file = run(common, session);
    if (!Files.exists(file) || !read(file).equals(saved)) {
      write(file, saved);
    }
    if (!read(added(common)).containsAll(added)) {
      addByAgent(common, added);
    }
  }

  private static Path run(Path common, String session) {
    return common.resolve(PLACE).resolve(session + RUN);
  }

  private static List<Path> runs(Path common) {
    Path place = common.resolve(PLACE);
    if (!Files.isDirectory(place)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(place)) {
      return files.filter(file -> file.toString().endsWith(RUN)).toList();
    } catch (IOException e) {
      throw GitTrees.failed("can't list " + place, e);
    }
  }

  /** Excludes lines from the user's rules permanently. */
  static void addByAgent(Path common, List<String> lines) {
    Path file = added(common);
    List<String> all = new ArrayList<>(read(file));
    lines.stream().filter(line -> !line.isBlank() && !all.contains(line)).forEach(all::add);
    if (!all.isEmpty()) {
      write(file, all);
    }
  }

  private static void write(Path file, List<String> lines) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, lines, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw GitTrees.failed("can't write " + file, e);
    }
  }

  private static Path added(Path common) {
    return common.resolve(PLACE).resolve(ADDED);
  }

  /** Returns the lines of {@code core.excludesFile}. */
  static List<String> ofExcludesFile(Git git) throws InterruptedException {
    return read(excludesFile(git));
  }

  /** Returns a rule that ignores a single file, by its path relative to the top. */
  static String only(String path) {
    StringBuilder rule = new StringBuilder("/");
    appendEscaped(rule, path);
    // Git removes unescaped spaces at the end of a rule.
    return rule.charAt(rule.length() - 1) == ' '
        ? rule.insert(rule.length() - 1, '\\').toString()
        : rule.toString();
  }

  private static Path excludesFile(Git git) throws InterruptedException {
    CommandResult set = git.run("config", "--type=path", "--get", "core.excludesFile");
    String home = System.getenv().getOrDefault("HOME", "");
    String folder = System.getenv().getOrDefault("XDG_CONFIG_HOME", "");
    String file =
        set.isGood() ? set.line() : (folder.isEmpty() ? home + "/.config" : folder) + "/git/ignore";
    try {
      return Path.of(file);
    } catch (InvalidPathException notInThisLocale) {
      return Path.of("");
    }
  }

  /** Returns the lines of a file; empty if it is unreadable. Malformed UTF-8 is replaced. */
  private static List<String> read(Path file) {
    try {
      return Files.isRegularFile(file)
          ? lines(new String(Files.readAllBytes(file), StandardCharsets.UTF_8))
          : List.of();
    } catch (IOException unreadable) {
      return List.of(); // git reads no rules from the file either
    }
  }

  private static List<String> lines(String text) {
    return (text.startsWith(MARK) ? text.substring(1) : text).lines().toList();
  }

  private static List<String> ofCommit(Git git, String base) throws InterruptedException {
    List<Rule> rules = new ArrayList<>();
    String before = base + ":";
    String[] search = {
      "grep", "--text", "-z", "--full-name", "-e", "", base, "--", ":(top,glob)**/.gitignore"
    };
    CommandResult answer =
        git.lines(
            line -> {
              int end = line.indexOf('\0');
              String file = end < 0 ? "" : line.substring(0, end);
              if (file.startsWith(before) && file.endsWith(".gitignore")) {
                String folder =
                    file.substring(before.length(), file.length() - ".gitignore".length());
                rules.add(new Rule(folder, line.substring(end + 1)));
              }
            },
            search);
    if (!answer.isGood() && answer.exit().code() != 1) { // 1: no matching line
      throw GitTrees.refused("git grep in " + base, answer);
    }
    List<String> lines = new ArrayList<>();
    // The rules of deeper folders have precedence.
    rules.sort(Comparator.comparingLong(Rule::depth));
    rules.forEach(rule -> lines.add(fromTop(rule.folder(), rule.line())));
    return lines;
  }

  private record Rule(String folder, String line) {
    long depth() {
      return folder.chars().filter(each -> each == '/').count();
    }
  }

  /**
   * Converts a rule of a folder's {@code .gitignore} to a rule at the top.
   *
   * @param folder the folder relative to the top, with a trailing slash; empty for the top
   */
  static String fromTop(String folder, String line) {
    String rule = line.startsWith(MARK) ? line.substring(1) : line;
    if (folder.isEmpty() || rule.isBlank() || rule.startsWith("#")) {
      return rule;
    }
    boolean isNegative = rule.startsWith("!");
    String pattern = isNegative ? rule.substring(1) : rule;
    int slash = pattern.indexOf('/');
    boolean isAnchored = slash >= 0 && slash < pattern.stripTrailing().length() - 1;
    StringBuilder whole = new StringBuilder(isNegative ? "!/" : "/");
    appendEscaped(whole, folder);
    whole.append(isAnchored ? "" : "**/");
    return whole.append(pattern.startsWith("/") ? pattern.substring(1) : pattern).toString();
  }

  private static void appendEscaped(StringBuilder rule, String path) {
    for (char each : path.toCharArray()) {
      rule.append(SPECIAL.indexOf(each) < 0 ? "" : "\\").append(each);
    }
  }
}
