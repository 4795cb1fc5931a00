package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sabotages of agents and users through the command: build, merge and discard. The scripts write
 * random lines by the function {@code w}. Afterwards each line is in a commit of a reference, in a
 * folder, or its ignored file is named in the output. The user's repository is unchanged, unless
 * the output names the difference.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class SabotageIT {

  /** The shell functions of users and agents. */
  private static final String FUNCTIONS =
      """
      # Appends a random line to a file, and registers the line.
      w() {
        line=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \\n')
        case "$1" in */*) mkdir -p "${1%/*}" ;; esac
        printf '%s\\n' "$line" >>"$1"
        printf '%s %s\\n' "$line" "$(printf '%s' "$1" | tr '\\n' ' ')" >>"$MARKS${2:+.ignored}"
      }
      # Creates a repository in the current folder.
      init() {
        git init -q --template= -b own .
      }
      commit() {
        git add -A
        git commit -q --no-verify -m "$1"
      }
      """;

  /** Completes the tasks. The first agent sabotages; the others write a file. */
  private static final String AGENT =
      """
      cat >/dev/null
      . "$FUNCTIONS"
      if mkdir "$ONCE" 2>/dev/null; then
        eval "$ACT"
      else
        w "other-${RALPH_TASK:-}.txt"
      fi
      cd /
      for task in ${RALPH_TASK:-t1 t2}; do
        "$RALPH" task done "$task"
      done
      [ -n "${RALPH_TASK:-}" ] || "$RALPH" complete
      """;

  /** Prints all files, and all contents of commits with a reference or in a stash. */
  private static final String CONTENT =
      """
      find . -type d \\( -name objects -o -path ./repo/.ralph/store \\) -prune \\
        -o -type f -exec cat {} +
      find . -path ./repo/.ralph/store -prune -o -type d -name objects -print |
          while read -r objects; do
        export GIT_DIR="${objects%/objects}"
        [ -d "$GIT_DIR/refs" ] || continue
        { echo --all; cut -d' ' -f2 "$GIT_DIR/logs/refs/stash" 2>/dev/null; } |
          xargs git rev-list --objects --ignore-missing | cut -d' ' -f1 |
          git cat-file --batch
      done
      """;

  /** Prints a line for each part of the user's repository: kind, name and value. */
  private static final String STATE =
      """
      printf 'HEAD\\tHEAD\\t%s\\n' "$(cat .git/HEAD)"
      git for-each-ref --format='ref%09%(refname)%09%(objectname)' |
        grep -Ev 'refs/(ralph|heads/ralph/|stash)'
      git ls-files -v -s | sed -E 's/^(.*)\\t(.*)$/index\\t\\2\\t\\1/'
      git config --file .git/config --list | sed 's/^\\([^=]*\\)=/config\\t\\1\\t/'
      cut -d' ' -f2 .git/logs/refs/stash | sed 's/^/stash\\tstash\\t/'
      for folder in .git/hooks .git/info; do
        [ -d $folder ] && find $folder -type f
      done >../files
      find . -path ./.git -prune -o -path ./.ralph -prune -o \\( -type f -o -type l \\) -print |
        cut -c3- >>../files
      while read -r file; do
        printf 'file\\t%s\\t%s\\n' "${file#.git/}" "$(readlink "$file" || sha1sum <"$file")"
      done <../files
      rm ../files
      """;

  private static final Pattern CHANGE =
      Pattern.compile("changed|moved|restored|added|deleted|removed|created");

  /** A sabotage: settings of the environment, and scripts of the user and an agent. */
  private enum Sabotage {
    HIDDEN_BY_RULES(
        "git config status.showUntrackedFiles no; w notes.txt",
        "w new.txt; w venv/lib/x; echo '*' >venv/.gitignore; w build/x ignored; echo '*' >.gitignore"),
    HIDDEN_BY_INDEX(
        "git config core.fsmonitor true",
        """
        git update-index --skip-worktree README; w README
        git update-index --assume-unchanged src/a.txt; w src/a.txt
        w staged.txt; git add staged.txt; w staged.txt; w later.txt; git add -N later.txt
        """),
    NESTED_REPOSITORY("", "mkdir lib; (cd lib; init; w x.txt; commit own; w y.txt); w new.txt"),
    SUBMODULE(
        """
        mkdir ../origin; (cd ../origin; init; echo 1 >x.txt; commit first)
        git -c protocol.file.allow=always submodule --quiet add "$PWD/../origin" sub; commit sub
        """,
        """
        git -c protocol.file.allow=always submodule --quiet update --init
        (cd sub; w x.txt; commit own); w new.txt; commit above; (cd sub; w y.txt; commit more)
        """),
    OTHER_BRANCHES(
        "git branch side",
        """
        own=$(git branch --show-current)
        git checkout -q -b feature; w one.txt; commit one
        git checkout -q --detach; w two.txt; commit two; git checkout -q "$own"; w three.txt
        """),
    STASHES(
        "w README; git stash -q",
        "w src/a.txt; w new.txt; git stash -q -u; git stash drop -q stash@{1}; w more.txt"),
    GIT_REPLACED(
        "", "w one.txt; commit one; w two.txt; rm -rf .git; init; commit two; w three.txt"),
    IGNORED_FILE_OF_THE_USER(
        "w config.local; w build/token",
        "echo x >.gitignore; w config.local; w build; commit own; w new.txt"),
    USERS_BRANCH_MOVED(
        "w README; git add README; w src/a.txt",
        "w one.txt; commit one; git branch -f main; w two.txt"),
    SETTINGS(
        "git config pull.rebase true",
        """
        w new.txt; mkdir -p "$(git rev-parse --git-common-dir)/hooks"
        echo 'exit 1' >"$(git rev-parse --git-common-dir)/hooks/pre-commit"
        git config core.worktree /nowhere; git config core.hooksPath /nowhere
        git config core.bare true
        """),
    KINDS_OF_FILES(
        "w docs/own.log",
        """
        rm -r src docs; w src; ln -s nowhere docs; rm README; w README/x.txt
        w "$(printf 'line\\nbreak')"; w "$(printf 'caf\\351')"; w '*'; w ':(top)x'; w -rf
        """),
    KILLED_AGENT("w notes.txt", "w one.txt; commit one; w two.txt; git add .; kill -KILL $$"),
    KILLED_COMMAND(
        "w notes.txt",
        """
        w one.txt; commit one; w two.txt; : >"$(git rev-parse --git-path index.lock)"
        kill -KILL "$PPID"; exit 1
        """),
    PATHSPEC_VARIABLES(
        "GIT_LITERAL_PATHSPECS=1 GIT_REPLACE_REF_BASE=refs/odd/",
        "git update-ref refs/odd/$(git rev-parse HEAD) $(git commit-tree HEAD^{tree} -m odd)",
        "w new.txt; w '*'; w NEW.txt"),
    VARIABLES_OF_SETTINGS(
        "GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=status.showUntrackedFiles GIT_CONFIG_VALUE_0=no"
            + " GIT_CONFIG_KEY_1=diff.ignoreSubmodules GIT_CONFIG_VALUE_1=all"
            + " GIT_ICASE_PATHSPECS=1",
        "w notes.txt",
        "w new.txt; w NEW.txt; commit one; w more.txt");

    private final String environment;
    private final String user;
    private final String agent;

    Sabotage(String user, String agent) {
      this("", user, agent);
    }

    /**
     * Creates a sabotage.
     *
     * @param environment variables with values, separated by spaces
     */
    Sabotage(String environment, String user, String agent) {
      this.environment = environment;
      this.user = user;
      this.agent = agent;
    }

    private List<String> variables() {
      return environment.isEmpty() ? List.of() : List.of(environment.split(" "));
    }
  }

  @TempDir static Path folder;
  private static Path template = Path.of("template");

  @BeforeAll
  static void repository() throws Exception {
    Files.writeString(folder.resolve("functions.sh"), FUNCTIONS);
    Files.writeString(folder.resolve("agent.sh"), AGENT);
    Checkout checkout = Checkout.shared(folder).elsewhere("template").committing();
    template = checkout.work();
    run(
        checkout,
        """
        git init -q --template= -b main . && mkdir src docs
        printf '.ralph\\nconfig.local\\nbuild\\n*.log\\n' >.gitignore
        echo 1 >README && echo 1 >src/a.txt && echo 1 >docs/guide.md
        git add -A && git commit -q -m first && echo 2 >README && git stash -q
        "$RALPH" task add -n s --create One && "$RALPH" task add -n s Two
        """);
  }

  private static String run(Checkout checkout, String script) throws Exception {
    Exit exit = checkout.shell(script);
    assertThat(exit.code()).as(script + ": " + exit.err()).isZero();
    return exit.out();
  }

  /** A copy of the repository, with the output of all commands on it. */
  private static final class Scene implements AutoCloseable {
    private final Path base;
    private final Checkout checkout;
    private final StringBuilder output = new StringBuilder();

    Scene(String name, String agent) throws Exception {
      base = Files.createDirectories(folder.resolve(name));
      checkout = Checkout.shared(base).elsewhere("repo").committing();
      checkout
          .with("FUNCTIONS", folder.resolve("functions.sh").toString())
          .with("MARKS", folder.resolve(name + ".marks").toString())
          .with("ONCE", folder.resolve(name + ".once").toString())
          .with("ACT", agent);
      run(checkout, "cp -a '" + template + "/.' .");
    }

    Exit ralph(String... words) throws Exception {
      Exit exit = checkout.ralph(words);
      output.append(exit.out()).append(exit.err());
      return exit;
    }

    Exit build(String... how) throws Exception {
      List<String> words = new ArrayList<>(List.of("build", "-n", "s", "-p", "x", "-i", "5"));
      words.addAll(List.of("--agent", "sh '" + folder.resolve("agent.sh") + "'"));
      words.addAll(List.of(how));
      return ralph(words.toArray(new String[0]));
    }

    Set<String> state() throws Exception {
      return new TreeSet<>(run(checkout, "unset $VARIABLES\n" + STATE).lines().toList());
    }

    void requireContent() throws Exception {
      Path content = folder.resolve(base.getFileName() + ".content");
      run(checkout, "unset $VARIABLES; cd .. && { " + CONTENT + "} >'" + content + "' 2>/dev/null");
      String all = read(content);
      assertThat(lost("", all, name -> false)).as(output.toString()).isEmpty();
      Predicate<String> isNamed = name -> output.indexOf(name.split("/")[0]) >= 0;
      assertThat(lost(".ignored", all, isNamed)).as(output.toString()).isEmpty();
    }

    private static String read(Path file) throws IOException {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private List<String> lost(String kind, String all, Predicate<String> isNamed) throws Exception {
      Path marks = folder.resolve(base.getFileName() + ".marks" + kind);
      List<String> lost = new ArrayList<>();
      for (String mark : Files.exists(marks) ? read(marks).lines().toList() : List.<String>of()) {
        String[] parts = mark.split(" ", 2);
        if (!all.contains(parts[0]) && !isNamed.test(parts[1])) {
          lost.add(mark);
        }
      }
      return lost;
    }

    void requireState(Set<String> before, boolean isMerged) throws Exception {
      Set<String> merged = new TreeSet<>();
      if (isMerged) {
        merged.add("refs/heads/main");
        String[] main = {""};
        before.stream()
            .filter(line -> line.startsWith("ref\trefs/heads/main\t"))
            .forEach(line -> main[0] = line.split("\t")[2]);
        run(checkout, "git diff --name-only --no-renames " + main[0] + " ralph/s")
            .lines()
            .forEach(merged::add);
      }
      Set<String> changed = state();
      Set<String> same = new TreeSet<>(changed);
      same.retainAll(before);
      changed.addAll(before);
      changed.removeAll(same);
      changed.removeIf(line -> merged.contains(line.split("\t")[1]) || isAnnounced(line));
      assertThat(changed).as(output.toString()).isEmpty();
    }

    private boolean isAnnounced(String line) {
      String[] parts = line.split("\t");
      String name = parts[1].replaceFirst("^refs/(heads|tags)/", "");
      Pattern word = Pattern.compile("(?i)(?<![\\w/.-])" + Pattern.quote(name) + "(?![\\w/-])");
      return output
          .toString()
          .lines()
          .anyMatch(said -> word.matcher(said).find() && CHANGE.matcher(said).find());
    }

    @Override
    public void close() {
      checkout.clear();
    }
  }

  /** Runs each sabotage in one of two modes; the tests of the library run each in all modes. */
  @ParameterizedTest
  @EnumSource(Sabotage.class)
  @Tag("slow")
  void sabotage_losesNothing(Sabotage sabotage) throws Exception {
    play(sabotage, sabotage.ordinal() % 2 == 0 ? "--agents=2" : "--worktree");
  }

  private static void play(Sabotage sabotage, String mode) throws Exception {
    try (Scene scene = new Scene(sabotage + mode, sabotage.agent)) {
      run(scene.checkout, ". \"$FUNCTIONS\"; set -e\n" + sabotage.user);
      List<String> names = new ArrayList<>();
      for (String variable : sabotage.variables()) {
        String[] parts = variable.split("=", 2);
        scene.checkout.with(parts[0], parts[1]);
        names.add(parts[0]);
      }
      scene.checkout.with("VARIABLES", String.join(" ", names));
      Set<String> before = scene.state();
      Exit build = scene.build(mode, "--max-attempts=2");
      if (build.code() == 137) {
        build = scene.build(mode, "--max-attempts=2");
      }
      assertThat(build.code()).as(scene.output.toString()).isNotEqualTo(1).isLessThan(100);
      assertThat(folder.resolve(sabotage + mode + ".once")).exists();
      boolean isMerged = scene.ralph("branch", "merge", "s").code() == 0;
      scene.requireContent();
      scene.requireState(before, isMerged);
      before = scene.state();
      scene.ralph("branch", "discard", "s");
      scene.requireContent();
      scene.requireState(before, false);
      assertThat(scene.output.toString()).doesNotContain("Exception", "store_failed");
    }
  }

  @Test
  void repositoryInTheEnvironment_isRefused() throws Exception {
    try (Scene scene = new Scene("environment", "w new.txt")) {
      run(scene.checkout, "mkdir ../elsewhere && cd ../elsewhere && git init -q .");
      Set<String> before = scene.state();
      scene.checkout.with("VARIABLES", "GIT_DIR");
      scene.checkout.with("GIT_DIR", scene.base.resolve("elsewhere/.git").toString());
      for (String mode : List.of("--agents=2", "--worktree")) {
        assertThat(scene.build(mode).code()).isNotZero();
        assertThat(scene.output.toString()).contains("GIT_DIR", "env -u GIT_DIR");
        scene.output.setLength(0);
      }
      assertThat(scene.state()).isEqualTo(before);
      assertThat(folder.resolve("environment.once")).doesNotExist();
    }
  }
}
