package dev.ralph.cli.agentmail;

import dev.ralph.agentmail.AgentMail;
import dev.ralph.agentmail.AgentMessage;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.PipedText;
import dev.ralph.cli.call.Redaction;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code ralph agentmail}, or {@code agentmail} if the launcher has that name. Unlike other
 * commands it has no common options, and uses the exit codes, streams and messages of AgentMail.
 */
public final class AgentMailFace {

  /** The name of the command. */
  public static final String NAME = "agentmail";

  /** The subcommands. */
  public static final List<String> COMMANDS = List.of("send", "receive");

  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int OUTSIDE_TMUX = 2;

  private static final String USAGE =
      "usage: agentmail send <recipient> <message>\n       agentmail receive";

  private static final String HELP =
      USAGE
          + "\n\n"
          + "Mail between the agents in the windows of a tmux session. The name of a window is\n"
          + "the name of its agent. send prints the id of the message, and sends piped text if no\n"
          + "message is given; -r <recipient> and -m <message> (--recipient, --message) come\n"
          + "first. receive prints the oldest unread message. Exit codes: 0 success, 1 failure or\n"
          + "wrong usage, 2 outside of tmux. The mailboxes are .git/mail/NAME.jsonl, or the files\n"
          + "in .agentmail/mailboxes if this folder exists.";

  private final Environment environment;

  private AgentMailFace(Environment environment) {
    this.environment = environment;
  }

  /**
   * Runs the words after {@code agentmail}.
   *
   * @return the exit code
   */
  public static int run(List<String> words, Environment environment) {
    AgentMailFace face = new AgentMailFace(environment);
    try {
      int code = face.dispatch(words);
      environment.out().flush();
      return code;
    } catch (UsageException | RalphException | OutputException e) {
      return face.fail(String.valueOf(e.getMessage()), FAILED);
    } catch (RuntimeException | Error e) {
      return face.fail("internal error: " + e + "; please report it", FAILED);
    }
  }

  /** Reports invalid usage, and returns the exit code. */
  public static int refuse(Environment environment, String message) {
    AgentMailFace face = new AgentMailFace(environment);
    try {
      TmuxWindows.requireTmux(face.tmuxVariables());
    } catch (RalphException outside) {
      return face.fail(String.valueOf(outside.getMessage()), OUTSIDE_TMUX);
    }
    return face.fail(message, FAILED);
  }

  private int fail(String message, int code) {
    try {
      environment.err().line("error: " + SafeText.text(message));
      environment.err().flush();
    } catch (OutputException nobodyReads) {
      // The exit code has to suffice.
    }
    return code;
  }

  private int dispatch(List<String> words) {
    String command = words.isEmpty() ? "" : words.get(0);
    boolean isOne = COMMANDS.contains(command);
    if (List.of("help", "--help", "-h")
        .contains(isOne && words.size() == 2 ? words.get(1) : command)) {
      environment.out().line(HELP);
      return DONE;
    }
    if (!isOne) {
      throw new UsageException(
          (command.isEmpty() ? "no command" : "unknown command " + RalphException.quote(command))
              + "\n"
              + USAGE);
    }
    Map<String, String> variables = tmuxVariables();
    try {
      TmuxWindows.requireTmux(variables);
    } catch (RalphException e) {
      return fail(String.valueOf(e.getMessage()), OUTSIDE_TMUX);
    }
    List<String> arguments = new ArrayList<>(words.subList(1, words.size()));
    if (!command.equals("send") || !takeOptions(arguments)) {
      arguments.remove("--"); // the first "--" ends the options
    }
    String text = command.equals("send") ? text(arguments) : null;
    if (text == null && !arguments.isEmpty()) {
      throw new UsageException(
          "receive takes no arguments, not "
              + RalphException.quote(arguments.get(0))
              + "\n"
              + USAGE);
    }
    TmuxWindows windows;
    try {
      windows = TmuxWindows.current(variables);
    } catch (RalphException e) {
      return fail(String.valueOf(e.getMessage()), OUTSIDE_TMUX);
    }
    return text == null ? receive(windows) : send(windows, arguments.get(0), text);
  }

  private Map<String, String> tmuxVariables() {
    Map<String, String> variables = new HashMap<>();
    for (String name : List.of("TMUX", "TMUX_PANE", "TMUX_TMPDIR")) {
      String value = environment.variable(name);
      if (value != null) {
        variables.put(name, value);
      }
    }
    return variables;
  }

  /**
   * Parses AgentMail's options at the beginning, and inserts their values as positional arguments.
   *
   * @return whether a {@code --} ended the options
   */
  private static boolean takeOptions(List<String> arguments) {
    String recipient = null;
    String message = null;
    boolean isEnded = false;
    while (!isEnded && !arguments.isEmpty() && isOption(arguments.get(0))) {
      String option = arguments.remove(0);
      isEnded = option.equals("--");
      if (isEnded) {
        break;
      }
      int equals = option.indexOf('=');
      String name =
          option.substring(option.startsWith("--") ? 2 : 1, equals < 0 ? option.length() : equals);
      boolean isRecipient = name.equals("r") || name.equals("recipient");
      if (!isRecipient && !name.equals("m") && !name.equals("message")) {
        throw new UsageException(
            "send has no option "
                + RalphException.quote(option)
                + "; write -- before a message that begins with a dash\n"
                + USAGE);
      }
      if (equals < 0 && arguments.isEmpty()) {
        throw new UsageException("the option " + option + " needs a value\n" + USAGE);
      }
      String value = equals < 0 ? arguments.remove(0) : option.substring(equals + 1);
      recipient = isRecipient ? value : recipient;
      message = isRecipient ? message : value;
    }
    if (recipient != null && !recipient.isEmpty()) {
      arguments.add(0, recipient);
    }
    if (message != null && !message.isEmpty() && !arguments.isEmpty()) {
      arguments.add(1, message);
    }
    return isEnded;
  }

  private static boolean isOption(String word) {
    return word.length() > 1 && word.startsWith("-");
  }

  private String text(List<String> arguments) {
    if (arguments.isEmpty()) {
      throw new UsageException("missing required arguments: recipient message\n" + USAGE);
    }
    if (arguments.size() > 2) {
      throw new UsageException(
          "more than one message; put the message in quotes: agentmail send "
              + arguments.get(0)
              + " '"
              + String.join(" ", arguments.subList(1, arguments.size()))
              + "'");
    }
    boolean isPiped =
        arguments.size() == 1 ? !environment.isTypedIn() : arguments.get(1).equals("-");
    String text =
        isPiped ? PipedText.read(environment.in()) : arguments.size() == 2 ? arguments.get(1) : "";
    if (text.isBlank()) {
      throw new UsageException("no message provided\n" + USAGE);
    }
    return Redaction.kept(text, environment);
  }

  private int send(TmuxWindows windows, String recipient, String text) {
    if (!windows.names().contains(recipient)) {
      return fail(
          "recipient "
              + RalphException.quote(recipient)
              + " not found in tmux session; the windows are "
              + String.join(", ", windows.names()),
          FAILED);
    }
    if (recipient.equals(windows.own())) {
      return fail(
          "recipient not found: "
              + RalphException.quote(recipient)
              + " is this window; agentmail sends only to other windows",
          FAILED);
    }
    environment.out().line(mail().send(windows.own(), recipient, text).id());
    return DONE;
  }

  private int receive(TmuxWindows windows) {
    if (!windows.names().contains(windows.own())) {
      return fail(
          "current window " + RalphException.quote(windows.own()) + " not found in tmux session",
          FAILED);
    }
    Optional<AgentMessage> received = mail().receive(windows.own(), this::print);
    if (received.isEmpty()) {
      environment.out().line("No unread messages");
    }
    return DONE;
  }

  private AgentMail mail() {
    return AgentMail.of(
        environment.directory(),
        warning -> {
          environment.err().line("warning: " + SafeText.line(warning));
          environment.err().flush();
        });
  }

  private void print(AgentMessage message) {
    String text =
        "From: "
            + SafeText.line(message.from())
            + "\nID: "
            + SafeText.line(message.id())
            + "\n\n"
            + SafeText.text(message.text());
    new Delivery(environment.out(), text.endsWith("\n") ? text : text + "\n").await();
  }
}
