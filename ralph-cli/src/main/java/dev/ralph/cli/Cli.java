package dev.ralph.cli;

import dev.ralph.Ralph;
import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.agentmail.AgentMailFace;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.NotYetAvailableException;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.terminal.ProcessEnd;
import dev.ralph.log.RalphException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs a command as a method, for tests and embedding programs. The method never exits the process,
 * and uses only the given variables and streams.
 */
public final class Cli {

  private Cli() {}

  /**
   * Runs a command in the current folder without a terminal.
   *
   * @param args the words after {@code ralph}
   * @param variables the environment variables
   * @param in standard input, read only by commands that accept text from it
   * @param out the stream for the answer, in UTF-8
   * @param err the stream for messages, in UTF-8
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
    FailureForm form = FailureForm.of(args);
    try {
      return flushed(dispatch(args, environment, form), environment, form);
    } catch (UsageException e) {
      return fail(environment, form, "USAGE", e, ExitCode.USAGE);
    } catch (NotYetAvailableException e) {
      return fail(environment, form, "NOTHING", e, ExitCode.NOTHING);
    } catch (RalphException e) {
      // The program or the JVM does not support the request, so the environment has to change.
      boolean isUnable = e.code() == RalphException.Code.UNSUPPORTED;
      return fail(
          environment, form, e.code().name(), e, isUnable ? ExitCode.USAGE : ExitCode.FAILED);
    } catch (OutputException e) {
      return unheard(e, ExitCode.DONE, environment, form);
    } catch (RuntimeException | Error e) {
      if (ProcessEnd.isUnderWay()) {
        ProcessEnd.await(); // many calls fail during shutdown; its cause is known to the user
      }
      RuntimeException shown = new RuntimeException(explained(e), e);
      return fail(environment, form, "INTERNAL", shown, ExitCode.FAILED);
    }
  }

  private static String explained(Throwable e) {
    return e instanceof OutOfMemoryError
        ? "out of memory or threads: "
            + e.getMessage()
            + "; raise the limit of memory (JAVA_TOOL_OPTIONS=-Xmx1g), of processes"
            + " (ulimit -u) or of the container, then retry"
        : "internal error: " + e + "; please report this error with the output of RALPH_DEBUG=1";
  }

  /** Writes the rest of the answer, and returns the exit code. */
  private static int flushed(int code, Environment environment, FailureForm form) {
    try {
      environment.out().flush();
      return code;
    } catch (OutputException e) {
      return unheard(e, code, environment, form);
    }
  }

  /**
   * Returns the exit code after the answer could not be written. A reader that has read enough
   * (`ralph log | head -1`) is no failure, but keeps an earlier failure.
   */
  private static int unheard(
      OutputException e, int code, Environment environment, FailureForm form) {
    return e.readerGone()
        ? code
        : fail(environment, form, "IO", e, code == ExitCode.DONE ? ExitCode.FAILED : code);
  }

  /** AgentMail has separate exit codes and failure messages. */
  private static boolean isAgentMail(List<String> args) {
    return !args.isEmpty() && args.get(0).equals(AgentMailFace.NAME);
  }

  /** Reports invalid usage. */
  static int refuse(List<String> args, Environment environment, String message) {
    if (isAgentMail(args)) {
      return AgentMailFace.refuse(environment, message);
    }
    return fail(
        environment, FailureForm.of(args), "USAGE", new UsageException(message), ExitCode.USAGE);
  }

  private static int dispatch(List<String> args, Environment environment, FailureForm form) {
    if (args.isEmpty() || isHelp(args.get(0))) {
      return args.size() < 2 || args.get(1).startsWith("-")
          ? Help.overview(environment)
          : dispatch(helpOn(args), environment, form);
    }
    if (args.get(0).equals("--version")) {
      return version(args, environment);
    }
    String name = Commands.named(args);
    if (name != null && Commands.wordsOf(name) == 1 && args.size() > 1) {
      UsageException singular = UnknownCommand.inPlural(name, args.get(1));
      if (singular != null) {
        throw singular;
      }
    }
    Command command = name == null ? null : Commands.create(name);
    if (name == null || command == null) {
      String group = Commands.group(args);
      if (group != null && asksForHelp(group, args.subList(Commands.wordsOf(group), args.size()))) {
        return Help.group(environment, group);
      }
      throw UnknownCommand.of(args);
    }
    CommandSyntax syntax = command.syntax();
    Arguments arguments =
        Arguments.parse(name, syntax, args.subList(Commands.wordsOf(name), args.size()));
    if (arguments.has("help")) {
      return Help.of(environment, name, syntax);
    }
    arguments.checkCount(syntax);
    try (Invocation call = new Invocation(environment, arguments)) {
      try {
        command.run(call);
        call.reportCreation();
        return call.exitCode();
      } catch (OutputException e) {
        return unheard(e, call.exitCode(), environment, form);
      }
    }
  }

  /** The command group for machines prints its help without an argument. */
  private static boolean asksForHelp(String group, List<String> rest) {
    return rest.isEmpty() ? group.equals(AgentGroup.NAME) : isHelp(rest.get(0));
  }

  private static int version(List<String> args, Environment environment) {
    if (args.size() > 1 && !args.get(1).equals("--json")) {
      throw new UsageException(
          "--version takes only --json, not " + RalphException.quote(args.get(1)));
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
      Environment environment, FailureForm form, String kind, RuntimeException e, int code) {
    try {
      // The part of the answer before the failure is still valid.
      environment.out().flush();
    } catch (OutputException nobodyReads) {
      // Nobody reads the answer; standard error still gets the reason.
    }
    try {
      environment.err().line(form.line(kind, e));
      if (environment.variable("RALPH_DEBUG") != null) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        environment.err().line(trace.toString());
      }
      environment.err().flush();
    } catch (OutputException nobodyReads) {
      // The exit code has to suffice.
    }
    return form.exitCode(code);
  }
}
