package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs git in a folder, by argument vectors. Every git process of Ralph starts here, without a
 * terminal and without prompts.
 *
 * <p>The user's configuration and environment, and the configuration that an agent may have
 * written, must not decide which changes git reports. Therefore variables that redirect git are
 * removed, and replace references and grafts are off. Settings that hide changes or alter parsed
 * output have fixed values. Filters, line ends, file modes, symbolic links, long paths, {@code
 * core.excludesFile}, credentials, {@code url.*}, {@code safe.directory} and {@code
 * GIT_SSH_COMMAND} stay the user's.
 *
 * <p>Immutable; safe for use by many threads.
 */
public final class Git {

  private static final int MOST_OUTPUT = 8 * 1024 * 1024;

  private static final Duration GRACE = Duration.ofSeconds(5);

  /** Variables by which git would work on another repository, index or set of objects. */
  private static final List<String> ELSEWHERE =
      List.of(
          "GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_COMMON_DIR",
          "GIT_OBJECT_DIRECTORY",
          "GIT_NAMESPACE");

  /**
   * Variables that decide about contents: the rest of {@code git rev-parse --local-env-vars} of all
   * versions, without those that hold configuration; pathspec modes; variables that change diffs;
   * and the marks of a hook or of a pager.
   */
  private static final List<String> DECIDING =
      List.of(
          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
          "GIT_CONFIG",
          "GIT_DIFF_OPTS",
          "GIT_EXTERNAL_DIFF",
          "GIT_GLOB_PATHSPECS",
          "GIT_GRAFT_FILE",
          "GIT_ICASE_PATHSPECS",
          "GIT_IMPLICIT_WORK_TREE",
          "GIT_INTERNAL_SUPER_PREFIX",
          "GIT_LITERAL_PATHSPECS",
          "GIT_NOGLOB_PATHSPECS",
          "GIT_NO_REPLACE_OBJECTS",
          "GIT_PAGER_IN_USE",
          "GIT_PREFIX",
          "GIT_QUARANTINE_PATH",
          "GIT_REPLACE_REF_BASE",
          "GIT_SHALLOW_FILE");

  /** Settings with the same value in each call. */
  private static final List<String> PINNED =
      List.of(
          // A clone may contain a bare repository with hooks and settings.
          "safe.bareRepository=explicit",
          "status.showUntrackedFiles=all",
          "diff.ignoreSubmodules=none",
          "diff.autoRefreshIndex=true",
          "core.ignoreStat=false",
          "core.checkStat=default",
          "core.trustctime=true",
          "core.fsmonitor=false",
          "sparse.expectFilesOutsideOfPatterns=false",
          "submodule.recurse=false",
          "merge.verifySignatures=false",
          "merge.autoStash=false",
          "merge.ff=true",
          "commit.cleanup=default",
          "add.ignoreErrors=false",
          "grep.patternType=basic",
          "log.showSignature=false",
          "i18n.commitEncoding=UTF-8",
          "i18n.logOutputEncoding=UTF-8",
          "advice.graftFileDeprecated=false",
          "color.ui=false");

  private static final List<String> PLAIN_DIFF =
      List.of(
          "--ignore-submodules=none",
          "--submodule=short",
          "--no-ext-diff",
          "--no-textconv",
          "--no-color",
          "--no-relative",
          "--src-prefix=a/",
          "--dst-prefix=b/",
          "-O/dev/null");

  private static final List<String> PLAIN_LOG =
      List.of("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color");

  /** Options of commands, because a setting of a submodule or branch outranks {@link #PINNED}. */
  private static final Map<String, List<String>> OPTIONS =
      Map.of(
          "status", List.of("--untracked-files=all", "--ignore-submodules=none", "--no-renames"),
          "diff", PLAIN_DIFF,
          "log", PLAIN_LOG,
          "show", PLAIN_LOG,
          "grep", List.of("--no-color", "--no-line-number", "--no-column"));

  /** Commands that compare the names of files with those in the index. */
  private static final Set<String> NAMING = Set.of("status", "add", "ls-files", "clean");

  /** An empty variable, for settings whose name may hold an equals sign. */
  private static final String EMPTY = "RALPH_GIT_EMPTY";

  /** Disables hooks and background work, because a killed cleanup would leave lock files. */
  private static final List<String> ALONE =
      List.of("core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false");

  private static final List<String> NO_HOOKS = List.of("core.hooksPath=/dev/null");

  private final Path folder;
  private final Duration patience;
  private final Map<String, String> variables;
  private final List<String> settings;
  private final boolean hasTerminal;

  /**
   * Creates a runner.
   *
   * @param folder working directory of git
   * @param patience time limit of a call
   */
  public Git(Path folder, Duration patience) {
    this(folder, patience, Map.of());
  }

  /**
   * Creates a runner.
   *
   * @param folder working directory of git
   * @param patience time limit of a call
   * @param variables for git's environment, besides those of this program
   */
  public Git(Path folder, Duration patience, Map<String, String> variables) {
    this(folder, patience, variables, List.of(), true);
  }

  private Git(
      Path folder,
      Duration patience,
      Map<String, String> variables,
      List<String> settings,
      boolean hasTerminal) {
    this.folder = folder;
    this.patience = patience;
    this.variables = Map.copyOf(variables);
    this.settings = settings;
    this.hasTerminal = hasTerminal;
  }

  /** Creates a runner whose git runs no hooks and leaves no process running. */
  public static Git alone(Path folder, Duration patience) {
    return new Git(folder, patience, Map.of(), ALONE, true);
  }

  /** Returns a runner whose git runs no hooks. */
  public Git withoutHooks() {
    return settings.isEmpty()
        ? new Git(folder, patience, variables, NO_HOOKS, hasTerminal)
        : this; // the others have no hooks
  }

  /**
   * Returns a runner with a different index.
   *
   * @param file path of the index; created by git
   */
  public Git withIndex(Path file) {
    Map<String, String> own = new HashMap<>(variables);
    own.put("GIT_INDEX_FILE", file.toString());
    return new Git(folder, patience, own, settings, hasTerminal);
  }

  /**
   * Returns a runner whose git and its child processes cannot prompt on a terminal.
   *
   * @param limit time limit of a call
   */
  public Git withoutTerminal(Duration limit) {
    return new Git(folder, limit, variables, settings, false);
  }

  /**
   * Returns the variables of this program's environment that redirect an agent's git to another
   * repository. {@link #run} removes these variables; agents inherit them.
   */
  public static List<String> leadingElsewhere() {
    return ELSEWHERE.stream().filter(name -> System.getenv(name) != null).toList();
  }

  /**
   * Runs git.
   *
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended
   */
  public CommandResult run(String... arguments) throws InterruptedException {
    return command(List.of(arguments)).run(patience, GRACE, MOST_OUTPUT);
  }

  /**
   * Runs git with a text on its standard input.
   *
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended
   */
  public CommandResult runWith(String input, String... arguments) throws InterruptedException {
    return command(List.of(arguments)).stdin(input).run(patience, GRACE, MOST_OUTPUT);
  }

  /**
   * Runs git and passes each line of its output to a consumer. The number of lines is unlimited.
   *
   * @param line receives the lines in order, without line breaks, on another thread; the thread has
   *     ended at the method's return
   * @return the answer, without the output
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended
   */
  public CommandResult lines(Consumer<String> line, String... arguments)
      throws InterruptedException {
    StringBuilder begun = new StringBuilder();
    RecentOutput errors = new RecentOutput(MOST_OUTPUT);
    ProcessSpec.Builder spec =
        command(List.of(arguments))
            .onStderr(errors)
            .onStdout(
                piece -> {
                  begun.append(piece);
                  if (piece.endsWith("\n")) {
                    line.accept(begun.substring(0, begun.length() - 1));
                    begun.setLength(0);
                  }
                });
    try (ManagedProcess process = ManagedProcess.start(spec.build())) {
      ProcessExit exit = process.awaitOrTerminate(patience, GRACE);
      return new CommandResult(exit, "", errors.toString());
    }
  }

  private ProcessSpec.Builder command(List<String> arguments) throws InterruptedException {
    int at = subcommand(arguments);
    String name = at < arguments.size() ? arguments.get(at) : "";
    List<String> command = new ArrayList<>(hasTerminal ? List.of() : SearchPath.withoutTerminal());
    command.add("git");
    set(command, PINNED);
    set(command, settings);
    if (NAMING.contains(name) && isCaseSensitive()) {
      set(command, List.of("core.ignoreCase=false"));
    }
    if (name.equals("merge")) {
      command.addAll(withoutMergeOptions());
    }
    command.addAll(arguments.subList(0, Math.min(at + 1, arguments.size())));
    command.addAll(OPTIONS.getOrDefault(name, List.of()));
    command.addAll(arguments.subList(Math.min(at + 1, arguments.size()), arguments.size()));
    return process(command);
  }

  private ProcessSpec.Builder process(List<String> command) {
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(folder)
            .environment("LC_ALL", "C.UTF-8")
            .environment("GIT_TERMINAL_PROMPT", "0")
            .environment("GIT_EDITOR", "true")
            .environment("GIT_SEQUENCE_EDITOR", "true")
            .environment(EMPTY, "");
    ELSEWHERE.forEach(spec::withoutEnvironment);
    DECIDING.forEach(spec::withoutEnvironment);
    spec.environment("GIT_NO_REPLACE_OBJECTS", "1").environment("GIT_GRAFT_FILE", "/dev/null");
    variables.forEach(spec::environment);
    if (!hasTerminal) {
      spec.withoutEnvironment("GPG_TTY");
    }
    return settings.equals(ALONE) ? spec.leavesNothing() : spec;
  }

  private static void set(List<String> command, List<String> settings) {
    for (String setting : settings) {
      command.add("-c");
      command.add(setting);
    }
  }

  /** Returns the index of the subcommand, after git's own options. */
  private static int subcommand(List<String> arguments) {
    int at = 0;
    while (at < arguments.size() && arguments.get(at).startsWith("-")) {
      at += arguments.get(at).equals("-c") || arguments.get(at).equals("-C") ? 2 : 1;
    }
    return at;
  }

  /**
   * Returns whether the top folder of a checkout is case-sensitive. With a wrong {@code
   * core.ignoreCase}, git confuses a new file with a tracked file of another case.
   */
  private boolean isCaseSensitive() {
    return Files.exists(folder.resolve(".git")) && !Files.exists(folder.resolve(".GIT"));
  }

  /**
   * Returns options to cancel {@code branch.NAME.mergeOptions} of the current branch, for example
   * the strategy {@code ours}, which would record a merge and drop the merged contents.
   */
  private List<String> withoutMergeOptions() throws InterruptedException {
    CommandResult head =
        process(List.of("git", "symbolic-ref", "--quiet", "--short", "HEAD"))
            .run(patience, GRACE, MOST_OUTPUT);
    return head.isGood() && !head.line().isEmpty()
        ? List.of("--config-env=branch." + head.line() + ".mergeOptions=" + EMPTY)
        : List.of();
  }

  /**
   * Returns the output of git, which takes no optional lock and changes nothing; empty if git can't
   * be started, fails, exceeds the time limit or prints more than 8 MB. An interrupted thread stays
   * interrupted.
   */
  public Optional<String> query(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--no-optional-locks"));
    all.addAll(List.of(arguments));
    try {
      CommandResult answer = command(all).leavesNothing().run(patience, GRACE, MOST_OUTPUT);
      return answer.isGood() && answer.output().length() < MOST_OUTPUT
          ? Optional.of(answer.output())
          : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (RalphException noGit) {
      return Optional.empty();
    }
  }
}
