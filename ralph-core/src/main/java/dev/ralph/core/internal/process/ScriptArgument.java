package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The script that a command passes to an interpreter, as in {@code sh -e ./check.sh}. A work tree
 * lacks scripts that are not committed.
 *
 * @param path the relative path as in the command
 */
public record ScriptArgument(String path) {

  /**
   * The options of a kind of interpreter that precede a script. After any other option, for example
   * {@code -c}, the next word may be an argument.
   *
   * @param programs the names of the interpreters
   * @param flags the options without a value
   * @param values the options with a separate value
   */
  private record Interpreter(Pattern programs, Pattern flags, Set<String> values) {
    Interpreter(String programs, String flags, String... values) {
      this(Pattern.compile(programs), Pattern.compile(flags), Set.of(values));
    }
  }

  private static final List<Interpreter> INTERPRETERS =
      List.of(
          new Interpreter(
              "(ba|da|z|k|a)?sh",
              "[-+][abefhkmnpuvxBCEHPT]+|--(login|noprofile|norc|posix|verbose)",
              "-o",
              "+o",
              "-O",
              "+O",
              "--rcfile",
              "--init-file"),
          new Interpreter("(python|pypy)[0-9.]*", "-[bBdEIOqsSuvx]+", "-W", "-X"),
          new Interpreter(
              "node|nodejs|tsx",
              "--(enable-source-maps|no-warnings|no-deprecation|test|experimental-[a-z-]+)",
              "-r",
              "--require",
              "--import",
              "--loader"),
          new Interpreter("deno|bun", "run|-A|-q|--quiet|--allow-[a-z]+(=.*)?"),
          new Interpreter("ruby|perl", "-[wWT]+", "-I", "-r"),
          new Interpreter("php", "-[nq]", "-d"));

  /**
   * Returns the script of a command; null if the command has none, or an absolute path, or options
   * with an unknown meaning.
   */
  public static @Nullable ScriptArgument of(List<String> command) {
    String program = command.get(0).substring(command.get(0).lastIndexOf('/') + 1);
    if (program.equals("env")) {
      return ofEnv(command);
    }
    for (Interpreter interpreter : INTERPRETERS) {
      if (interpreter.programs().matcher(program).matches()) {
        return of(interpreter, command);
      }
    }
    return null;
  }

  private static @Nullable ScriptArgument ofEnv(List<String> command) {
    int i = 1;
    while (i < command.size() && command.get(i).indexOf('=') > 0) {
      i++;
    }
    boolean isCommand = i < command.size() && !command.get(i).startsWith("-");
    return isCommand ? of(command.subList(i, command.size())) : null;
  }

  private static @Nullable ScriptArgument of(Interpreter interpreter, List<String> command) {
    int i = 1;
    while (i < command.size()) {
      String word = command.get(i);
      if (interpreter.values().contains(word)) {
        i += 2;
      } else if (interpreter.flags().matcher(word).matches()) {
        i++;
      } else {
        return word.isEmpty() || "-+/".indexOf(word.charAt(0)) >= 0
            ? null
            : new ScriptArgument(word);
      }
    }
    return null;
  }

  /**
   * Returns the script in the user's checkout if a work tree lacks the script.
   *
   * @param directory the working directory, absolute
   * @param place the folder of work trees, relative to the checkout
   * @return null if the work tree has the script, or the checkout lacks the script too, or the
   *     directory is in no work tree
   */
  public @Nullable Path onlyInCheckout(Path directory, Path place) {
    for (Path tree = directory; tree != null; tree = tree.getParent()) {
      Path parent = tree.getParent();
      if (parent != null && parent.endsWith(place)) {
        return onlyInCheckout(directory, tree, place.getNameCount());
      }
    }
    return null;
  }

  private @Nullable Path onlyInCheckout(Path directory, Path tree, int depth) {
    Path checkout = tree.getParent();
    for (int i = 0; i < depth && checkout != null; i++) {
      checkout = checkout.getParent();
    }
    try {
      if (checkout == null || Files.exists(directory.resolve(path))) {
        return null;
      }
      Path file = checkout.resolve(tree.relativize(directory)).resolve(path).normalize();
      return Files.isRegularFile(file) ? file : null;
    } catch (InvalidPathException noPathInThisLocale) {
      return null;
    }
  }

  /**
   * Checks that a work tree does not lack the script of a command.
   *
   * @param directory the working directory, absolute
   * @param place the folder of work trees, relative to the checkout
   * @throws RalphException INVALID if only the user's checkout has the script
   */
  public static void requirePresent(List<String> command, Path directory, Path place) {
    ScriptArgument script = of(command);
    Path only = script == null ? null : script.onlyInCheckout(directory, place);
    if (script != null && only != null) {
      throw RalphException.invalid(script.problem(command.get(0), only));
    }
  }

  /**
   * Returns a sentence for a script that only the user's checkout has.
   *
   * @param only the script in the checkout
   */
  public String problem(String program, Path only) {
    return "cannot start "
        + RalphException.quote(program)
        + ": the script "
        + RalphException.quote(path)
        + " is not committed; only "
        + RalphException.quote(only.toString())
        + " exists";
  }
}
