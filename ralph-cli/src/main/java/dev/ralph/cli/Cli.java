package dev.ralph.cli;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.cli.agentmail.AgentMailFace;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.NothingThereException;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command as a method: for tests, and for programs that have its words in hand. It ends no
 * process, and looks at nothing but what it is given.
 */
public final class Cli {

  private Cli() {}

  /**
   * Runs a command in the present folder, without a terminal.
   *
   * @param args the words after {@code ralph}
   * @param variables the environment variables
   * @param in what is piped in; read only by commands that take text from there
   * @param out where the answer goes, in UTF-8
   * @param err where everything else goes, in UTF-8
   * @return the exit code
   */
  public static int run(
      List<String> args,
      Map<String, String> variables,
      InputStream in,
      OutputStream out,
      OutputStream err) {
    return run(args, Environment.of(variables, in, out, err, Path.of("").toAbsolutePath(), null));
  }

  static int run(List<String> args, Environment environment) {
    if (isAgentMail(args)) {
      return AgentMailFace.run(args.subList(1, args.size()), environment);
    }
    boolean json = args.contains("--json");
    try {
      return flushed(dispatch(args, environment), environment, json);
    } catch (UsageException e) {
      return fail(environment, json, "USAGE", e, ExitCode.USAGE);
    } catch (NothingThereException e) {
      return fail(environment, json, "NOTHING", e, ExitCode.NOTHING);
    } catch (RalphException e) {
      // This program, or this JVM, is not the one for it: the environment has to be another.
      boolean isUnable = e.code() == RalphException.Code.UNSUPPORTED;
      return fail(
          environment, json, e.code().name(), e, isUnable ? ExitCode.USAGE : ExitCode.FAILED);
    } catch (OutputException e) {
      return unheard(e, ExitCode.DONE, environment, json);
    } catch (RuntimeException | Error e) {
      RuntimeException shown =
          new RuntimeException(
              "internal error: " + e + " (RALPH_DEBUG=1 shows where; please report it)", e);
      return fail(environment, json, "INTERNAL", shown, ExitCode.FAILED);
    }
  }

  /** Writes the rest of the answer of a command that ends with that code. */
  private static int flushed(int code, Environment environment, boolean json) {
    try {
      environment.out().flush();
      return code;
    } catch (OutputException e) {
      return unheard(e, code, environment, json);
    }
  }

  /**
   * Returns the code to end with when the answer could not be written: that a reader has seen
   * enough is no failure (`ralph log | head -1`), but undoes none either.
   */
  private static int unheard(OutputException e, int code, Environment environment, boolean json) {
    return e.readerGone()
        ? code
        : fail(environment, json, "IO", e, code == ExitCode.DONE ? ExitCode.FAILED : code);
  }

  /** That one has its own exit codes and its own words for failures. */
  private static boolean isAgentMail(List<String> args) {
    return !args.isEmpty() && args.get(0).equals(AgentMailFace.NAME);
  }

  /** Says that the command can't be called this way. */
  static int refuse(List<String> args, Environment environment, String message) {
    if (isAgentMail(args)) {
      return AgentMailFace.refuse(environment, message);
    }
    return fail(environment, false, "USAGE", new UsageException(message), ExitCode.USAGE);
  }

  private static int dispatch(List<String> args, Environment environment) {
    if (args.isEmpty() || isHelp(args.get(0))) {
      return args.size() < 2 || args.get(1).startsWith("-")
          ? Help.overview(environment)
          : dispatch(helpOn(args), environment);
    }
    if (args.get(0).equals("--version")) {
      return version(args, environment);
    }
    String name = args.get(0);
    Command command = null;
    if (args.size() > 1) {
      command = Commands.create(name + " " + args.get(1));
    }
    if (command != null) {
      name = name + " " + args.get(1);
    } else {
      command = Commands.create(name);
      UsageException singular = args.size() > 1 ? UnknownCommand.inPlural(name, args.get(1)) : null;
      if (singular != null) {
        throw singular;
      }
    }
    if (command == null) {
      if (args.size() > 1 && isHelp(args.get(1)) && !Commands.verbsOf(name).isEmpty()) {
        return Help.group(environment, name);
      }
      throw UnknownCommand.of(args);
    }
    int words = name.indexOf(' ') < 0 ? 1 : 2;
    Syntax syntax = command.syntax();
    Arguments arguments = Arguments.parse(name, syntax, args.subList(words, args.size()));
    if (arguments.has("help")) {
      return Help.of(environment, name, syntax);
    }
    arguments.checkCount(syntax);
    try (Invocation call = new Invocation(environment, arguments)) {
      try {
        int code = command.run(call);
        call.tellNews();
        return code;
      } catch (OutputException e) {
        return unheard(e, call.exitCode(), environment, call.json());
      }
    }
  }

  private static int version(List<String> args, Environment environment) {
    if (args.size() > 1 && !args.get(1).equals("--json")) {
      throw new UsageException("--version has no use for " + RalphException.quote(args.get(1)));
    }
    String version = Ralph.version();
    environment
        .out()
        .line(
            args.size() > 1
                ? Json.of("version").with("version", version).json()
                : "ralph " + version);
    return ExitCode.DONE;
  }

  /** Returns {@code tasks --help} for {@code help tasks}. */
  private static List<String> helpOn(List<String> args) {
    List<String> command = new ArrayList<>(args.subList(1, args.size()));
    command.add("--help");
    return command;
  }

  private static boolean isHelp(String word) {
    return word.equals("help") || word.equals("--help") || word.equals("-h");
  }

  private static int fail(
      Environment environment, boolean json, String kind, RuntimeException e, int code) {
    try {
      // The part of an answer that was there before the failure is still true.
      environment.out().flush();
    } catch (OutputException nobodyReads) {
      // Then there is no one to tell; the reason for the failure still goes the other way.
    }
    String message = SafeText.line(String.valueOf(e.getMessage()));
    try {
      environment
          .err()
          .line(
              json
                  ? Meta.of("v", Json.VERSION)
                      .with("kind", "error")
                      .with("code", kind)
                      .with("message", message)
                      .json()
                  : "ralph: " + message);
      if (environment.variable("RALPH_DEBUG") != null) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        environment.err().line(trace.toString());
      }
      environment.err().flush();
    } catch (OutputException nobodyReads) {
      // The exit code has to be enough.
    }
    return code;
  }
}
