package dev.ralph.openspec.internal;

import dev.ralph.Gate;
import dev.ralph.Verdict;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The commands that verify a project. They are derived from its build files, or read from the file
 * {@value #FILE} of the project, one command per line:
 *
 * <pre>
 * check: mvn -q compile
 * test: mvn -q verify
 * </pre>
 *
 * @param checks commands that find mistakes without running the program, the fastest first
 * @param tests commands that run the tests
 */
public record Verification(List<String> checks, List<String> tests) {

  /** The file with the project's own commands. */
  public static final String FILE = "openspec/verify";

  public Verification {
    checks = List.copyOf(checks);
    tests = List.copyOf(tests);
  }

  /** Returns the checks, then the tests. */
  public List<String> all() {
    List<String> all = new ArrayList<>(checks);
    all.addAll(tests);
    return List.copyOf(all);
  }

  /**
   * Returns the commands as gates of a loop. Each command is split into words as in a shell, and
   * runs without a shell.
   *
   * @throws RalphException INVALID if a command can't be split
   */
  public List<Gate.Command> gates() {
    return all().stream().map(Verification::gate).toList();
  }

  private static Gate.Command gate(String command) {
    try {
      return Gate.of(CommandLineWords.split(command));
    } catch (IllegalArgumentException e) {
      throw RalphException.invalid(
          "the command " + RalphException.quote(command) + ": " + e.getMessage());
    }
  }

  /** Runs the commands until one fails. */
  public Verdict check(Gate.Context context) throws InterruptedException {
    for (Gate.Command gate : gates()) {
      Verdict verdict = context.run(gate.command());
      if (!verdict.isPassed()) {
        Integer code = verdict.exitCode();
        String how = gate.name() + " failed" + (code == null ? "" : " with exit code " + code);
        return Verdict.failed((how + "\n" + verdict.reason()).strip());
      }
    }
    return Verdict.passed();
  }

  /**
   * Returns the commands of a project.
   *
   * @throws RalphException INVALID if a line of {@value #FILE} is neither a check nor a test; IO if
   *     a file can't be read
   */
  public static Verification of(Path project) {
    String own = text(project.resolve(FILE));
    return own == null ? new Guess(project).verification() : stated(own);
  }

  private static Verification stated(String text) {
    List<String> checks = new ArrayList<>();
    List<String> tests = new ArrayList<>();
    int number = 0;
    for (String line : text.split("\\R", -1)) {
      number++;
      String stripped = line.strip();
      if (stripped.isEmpty() || stripped.startsWith("#")) {
        continue;
      }
      int colon = stripped.indexOf(':');
      String word = colon < 0 ? "" : stripped.substring(0, colon).strip().toLowerCase(Locale.ROOT);
      String command = stripped.substring(colon + 1).strip();
      if (command.isEmpty() || !List.of("check", "test").contains(word)) {
        throw RalphException.invalid(
            FILE
                + ":"
                + number
                + ": expected 'check: COMMAND' or 'test: COMMAND', not: "
                + stripped);
      }
      (word.equals("check") ? checks : tests).add(command);
    }
    return new Verification(checks, tests);
  }

  private static @Nullable String text(Path file) {
    PlainPath.requireNoPipe(file);
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      if (Files.isDirectory(file)) {
        return null;
      }
      throw FileFailure.of("read", file, e);
    }
  }

  /**
   * Derives the commands from the build files of a project. Several kinds of build files add up.
   */
  private static final class Guess {

    private final Path project;
    private final List<String> checks = new ArrayList<>();
    private final List<String> tests = new ArrayList<>();

    Guess(Path project) {
      this.project = project;
    }

    Verification verification() {
      maven();
      gradle();
      node();
      rust();
      python();
      go();
      make();
      return new Verification(checks, tests);
    }

    private boolean has(String file) {
      return Files.isRegularFile(project.resolve(file));
    }

    private void maven() {
      if (has("pom.xml")) {
        String maven = has("mvnw") ? "./mvnw" : "mvn";
        checks.add(maven + " -q -B test-compile");
        tests.add(maven + " -q -B test");
      }
    }

    private void gradle() {
      if (has("build.gradle") || has("build.gradle.kts")) {
        String gradle = has("gradlew") ? "./gradlew" : "gradle";
        checks.add(gradle + " -q testClasses");
        tests.add(gradle + " -q test");
      }
    }

    private void node() {
      String text = text(project.resolve("package.json"));
      if (text == null) {
        return;
      }
      String manager =
          has("pnpm-lock.yaml")
              ? "pnpm"
              : has("yarn.lock") ? "yarn" : has("bun.lock") || has("bun.lockb") ? "bun" : "npm";
      Predicate<String> isScript = scripts(text);
      for (String script : List.of("typecheck", "lint", "build")) {
        if (isScript.test(script)) {
          checks.add(manager + " run " + script);
        }
      }
      if (isScript.test("test")) {
        tests.add(manager + " run test");
      }
    }

    /**
     * Returns a predicate for existing scripts. A file with invalid JSON counts as a file with
     * tests; otherwise breaking the file would disable them. Running them reports the error.
     */
    private static Predicate<String> scripts(String text) {
      try {
        Meta scripts = Meta.parse(text).object("scripts");
        return script -> scripts != null && scripts.string(script) != null;
      } catch (RalphException notJson) {
        return script -> script.equals("test");
      }
    }

    private void rust() {
      if (has("Cargo.toml")) {
        checks.add("cargo check --all-targets");
        tests.add("cargo test");
      }
    }

    private void python() {
      String text = text(project.resolve("pyproject.toml"));
      if (text != null) {
        if (text.contains("[tool.ruff")) {
          checks.add("ruff check .");
        }
        if (text.contains("[tool.mypy")) {
          checks.add("mypy .");
        }
        tests.add("python -m pytest");
      }
    }

    private void go() {
      if (has("go.mod")) {
        checks.add("go vet ./...");
        tests.add("go test ./...");
      }
    }

    private void make() {
      String text = text(project.resolve("Makefile"));
      if (text != null) {
        if (hasTarget(text, "lint")) {
          checks.add("make lint");
        }
        if (hasTarget(text, "test")) {
          tests.add("make test");
        } else if (hasTarget(text, "check")) {
          tests.add("make check");
        }
      }
    }

    private static boolean hasTarget(String text, String target) {
      return Pattern.compile("(?m)^" + target + "\\s*:(?!=)").matcher(text).find();
    }
  }
}
