package dev.ralph.openspec;

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
 * The commands that say whether a project is in order. They are what its build files suggest, or
 * what the file {@value #FILE} in the project says instead, a command a line:
 *
 * <pre>
 * check: mvn -q compile
 * test: mvn -q verify
 * </pre>
 *
 * @param checks what finds mistakes without running the program, the fastest first
 * @param tests what runs the tests
 */
public record Verification(List<String> checks, List<String> tests) {

  /** The file that says it in the project's own words. */
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
   * Returns the commands as gates of a loop. They are taken apart into words as a shell does, but
   * no shell takes part.
   *
   * @throws RalphException INVALID if one can't be taken apart
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
  Verdict check(Gate.Context context) throws InterruptedException {
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
   * Looks at a project.
   *
   * @throws RalphException INVALID if a line of {@value #FILE} says neither; IO if a file can't be
   *     read
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
            FILE + ":" + number + ": not 'check: COMMAND' or 'test: COMMAND': " + stripped);
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

  /** What the build files of a project suggest; several kinds of them add up. */
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
     * Returns whether a script is there. A file that is no JSON counts as one with tests, because
     * otherwise who breaks it would be rid of them; to run them says what is wrong.
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
