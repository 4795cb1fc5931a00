package dev.ralph.cli.call;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.Frame;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.openspec.internal.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The invocation of a command, with the arguments, the environment, the store and the answer. */
public final class Invocation implements AutoCloseable {

  /** The maximum length in characters of a command line that a message repeats. */
  private static final int LONGEST_LINE = 500;

  private final Environment environment;
  private final StandardInput pipe;
  private Arguments arguments;
  private final boolean json;
  private final StoreFinder stores;
  private @Nullable Instant viewedTime;
  private int exitCode = ExitCode.DONE;

  /** The session of a call without a session name; null until resolved. */
  private @Nullable String unnamed;

  public Invocation(Environment environment, Arguments arguments) {
    this.environment = environment;
    this.pipe = new StandardInput(environment);
    this.arguments = arguments;
    this.json = arguments.has("json");
    this.stores = new StoreFinder(environment, arguments);
  }

  public Environment environment() {
    return environment;
  }

  /** Returns an invocation with the same arguments in another folder. */
  public Invocation in(Path folder) {
    return new Invocation(environment.in(folder), arguments);
  }

  public Arguments arguments() {
    return arguments;
  }

  /**
   * Adds default options, and returns the names of the options added. Options of the call take
   * precedence.
   */
  public List<String> addDefaults(Arguments defaults) {
    List<String> added = new ArrayList<>(defaults.names());
    added.removeIf(arguments::has);
    arguments = arguments.orElse(defaults);
    return added;
  }

  // ---- session and store

  /**
   * Returns the name of the session. The sources in order of precedence: option, environment
   * variable, the project's file, the only session in the store.
   *
   * @throws UsageException if no source has a name, or the name is invalid
   */
  public String sessionName() {
    String name = namedHere();
    if (name == null) {
      name = unnamed == null ? nameInProject() : unnamed;
      unnamed = name == null ? onlySession() : name;
      name = unnamed;
    }
    try {
      return Topic.checkSegment("a session's name", name);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Sets the session of a call without a session name. Names from the option, the environment
   * variable and the project's file take precedence.
   *
   * @param name returns the name; called at most once
   */
  public void sessionIfUnnamed(Supplier<String> name) {
    if (namedHere() == null) {
      String inProject = nameInProject();
      unnamed = inProject == null ? name.get() : inProject;
    }
  }

  private @Nullable String namedHere() {
    String name = arguments.text("name");
    return name == null ? environment.variable("RALPH_SESSION") : name;
  }

  private @Nullable String nameInProject() {
    Path file = Project.file(environment, ConfigFile.NAME);
    if (file != null) {
      for (ConfigLine line : ConfigFile.read(file).lines()) {
        if (line.name().equals("name") && !line.value().isEmpty()) {
          return line.value();
        }
      }
    }
    return null;
  }

  private String onlySession() {
    List<String> names = List.of();
    if (!arguments.has("create") || !stores.address().isAbsent()) {
      try {
        names = store().sessions();
      } catch (NotFoundException noStore) {
        // no store, so no sessions
      }
    }
    if (names.size() == 1) {
      return names.get(0);
    }
    throw new UsageException(
        "--name is required (or set RALPH_SESSION)" + SessionNames.available(names));
  }

  /**
   * Returns the name of the change in the call, or null. A shell completes the name as a folder, so
   * the path of the folder is accepted too.
   */
  public @Nullable String changeName() {
    String given = arguments.text("change");
    if (given == null) {
      return null;
    }
    String all = Change.FOLDER + "/";
    String name = given.startsWith(all) ? given.substring(all.length()) : given;
    return name.length() > 1 && name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
  }

  /** Returns whether the option or the variable names a session. */
  public boolean namesASession() {
    return namedHere() != null;
  }

  /**
   * Returns the options that select a session in another command line, with a space before each
   * option.
   */
  public String sessionWords(String session) {
    String given = arguments.text("store");
    String store = given == null ? "" : " " + CommandLineWords.join(List.of("--store", given));
    return " -n " + session + store;
  }

  /**
   * Returns a hint how to repeat the command: a command line to copy, or a sentence if the line
   * cannot be typed.
   *
   * @param session the session of the command
   */
  public String continuation(String session) {
    String line = line(session, arguments.words());
    if (pipe.hadText()) {
      return canBeTyped(line)
          ? "continue with the same text piped into: " + line
          : "continue with the same command and the same piped text";
    }
    return canBeTyped(line) ? "continue with: " + line : "continue with the same command";
  }

  /**
   * Returns a hint how to repeat the last step of the command. A text argument is omitted, because
   * the text of a completed task would be added again.
   *
   * @param session the session of the command
   */
  public String retry(String session) {
    String text = arguments.argument(0);
    if (text == null) {
      return "to try again, repeat the command";
    }
    List<String> words = new ArrayList<>(arguments.words());
    words.remove(text);
    String line = line(session, words);
    boolean isPiped = pipe.hadText() && !text.equals("-");
    return isPiped || words.contains(text) || !canBeTyped(line)
        ? "to try again, repeat the command with -n " + session + " in place of the task"
        : "to try again: " + line;
  }

  private String line(String session, List<String> words) {
    return "ralph "
        + arguments.command()
        + (arguments.has("name") ? "" : " -n " + session)
        + (words.isEmpty() ? "" : " " + CommandLineWords.join(words));
  }

  private static boolean canBeTyped(String line) {
    return line.length() <= LONGEST_LINE && line.equals(SafeText.line(line));
  }

  /** Returns the finder of the store. */
  public StoreFinder stores() {
    return stores;
  }

  /** Opens the store, which must exist unless {@code --create} is given. */
  public StoreAccess store() {
    return stores.open();
  }

  /**
   * Returns the session for changes.
   *
   * @throws RalphException NOT_FOUND if the session has no frames; the message names the session
   *     with the most similar name
   */
  public Session session() {
    return begun(existingName());
  }

  /**
   * Returns the session, which may be new. {@link #reportCreation()} reports a new session, because
   * a misspelled name creates one.
   */
  public Session sessionOrNew() {
    String name = sessionName();
    if (!store().hasSession(name)) {
      if (name.startsWith("-")) {
        throw new UsageException(
            "the name of a new session must not begin with '-': "
                + RalphException.quote(name)
                + " looks like an option");
      }
      noteIfNew(name);
    }
    return open(name);
  }

  /** Records for {@link #reportCreation()} that a session has no frames yet. */
  public void noteIfNew(String name) {
    if (!store().isNew() && !store().hasSession(name)) {
      stores.announce(SessionNames.isNew(name, store(), stores.address()));
    }
  }

  /** Returns the name of the session. A call without a name fails first if the store is missing. */
  private String existingName() {
    if (!namesASession()) {
      StoreAccess unused = store();
    }
    return sessionName();
  }

  /** Returns an existing session. */
  private Session begun(String name) {
    requireBegun(name);
    return open(name);
  }

  private Session open(String name) {
    Session session = store().session(name);
    int agent = agent(name);
    return agent == 0 ? session : session.asAgent(agent, environment.directory());
  }

  /**
   * Validates that a session exists.
   *
   * @throws RalphException NOT_FOUND if the session has no frames; the message names the session
   *     with the most similar name
   */
  public void requireBegun(String name) {
    if (!store().hasSession(name)) {
      String from =
          arguments.text("name") != null
              ? ""
              : namesASession() ? " (from RALPH_SESSION)" : " (from " + ConfigFile.NAME + ")";
      throw SessionNames.unknown(name, from, store(), stores.address());
    }
  }

  /** Returns the session for reading, in its present state or in the state at {@code --at}. */
  public Session view() {
    String name = existingName();
    String at = arguments.text("at");
    return at == null ? begun(name) : at(begun(name), "--at", at);
  }

  /**
   * Returns the state of a session after a frame, at a time, or at a time before now.
   *
   * @param option the source of the moment for the error message
   */
  public Session at(Session session, String option, String moment) {
    Duration ago = Durations.parse(moment);
    if (ago != null || isTime(moment)) {
      viewedTime = ago == null ? time(option, moment) : Instant.now().minus(ago);
      return session.at(viewedTime);
    }
    Frame frame = store().frame(moment);
    viewedTime = frame.time();
    return session.at(frame);
  }

  /** Returns whether a text is a time rather than the id of a frame. */
  public static boolean isTime(String when) {
    return when.indexOf('-') > 0 || when.indexOf(':') > 0;
  }

  /**
   * Parses the value of an option as a time.
   *
   * @throws UsageException if the value is not a time
   */
  public static Instant time(String option, String value) {
    Instant time = Times.parse(value, ZoneId.systemDefault());
    if (time == null) {
      throw new UsageException(
          option
              + " takes a frame id, a time such as 2026-01-31T09:05:00Z, or an age such as"
              + " 30m, not "
              + RalphException.quote(value));
    }
    return time;
  }

  /**
   * Returns the time of {@link #view}, or the present time. A view of the past must show the leases
   * of that time.
   */
  public Instant moment() {
    return viewedTime == null ? Instant.now() : viewedTime;
  }

  /** Returns the iteration of the call: the option's value, the running iteration, or 0. */
  public int iteration(Session session) {
    int told = arguments.number("iteration", 0, 1, Integer.MAX_VALUE);
    if (told > 0) {
      return told;
    }
    return session.iterations().running(agent(session.name())).map(Iteration::number).orElse(0);
  }

  /** Returns whether an agent of the session's loop may be the caller. */
  public boolean isOfLoop(String session) {
    return session.equals(environment.variable("RALPH_SESSION"));
  }

  /** Returns the user name of the caller. */
  public String person() {
    String user = environment.variable("USER");
    return user == null || user.isBlank() ? "a person" : user;
  }

  /** Returns {@link #agent()} if the caller belongs to the session's loop, else 0. */
  private int agent(String session) {
    return isOfLoop(session) ? agent() : 0;
  }

  /** Returns the number of the calling agent in a team of agents, or 0 for other callers. */
  public int agent() {
    String number = environment.variable(Turn.AGENT);
    if (number == null) {
      return 0;
    }
    try {
      int agent = Integer.parseInt(number);
      if (agent > 0) {
        return agent;
      }
    } catch (NumberFormatException notOne) {
      // reported below
    }
    throw new UsageException(
        Turn.AGENT
            + " must be the number of an agent, from 1, not "
            + RalphException.quote(number)
            + "; unset it (only the loop sets this variable)");
  }

  /** Returns the text of an argument; {@code -} means standard input. */
  public String text(int argument) {
    return kept(orPiped(arguments.requiredArgument(argument)));
  }

  /** Returns the text of an argument, or null if missing; {@code -} means standard input. */
  public @Nullable String textIfAny(int argument) {
    String text = arguments.argument(argument);
    return text == null ? null : kept(orPiped(text));
  }

  /** Removes secrets from the text of an agent; returns the text of other callers unchanged. */
  public String kept(String text) {
    return Redaction.kept(text, environment);
  }

  /** Returns the text of {@code --reason}, or null if missing; {@code -} means standard input. */
  public @Nullable String reason() {
    String text = textIfAny("reason");
    return text == null ? null : kept(text);
  }

  /** Returns the text of an option, or null if missing; {@code -} means standard input. */
  public @Nullable String textIfAny(String option) {
    String text = arguments.text(option);
    return text == null ? null : orPiped(text);
  }

  private String orPiped(String text) {
    return text.equals("-") ? piped() : text;
  }

  /**
   * Reads standard input.
   *
   * @throws UsageException if standard input was read before
   */
  public String piped() {
    return pipe.read();
  }

  /**
   * Returns the text of an argument, or standard input if the argument is missing.
   *
   * @throws UsageException if standard input is a terminal
   */
  public String textOrPiped(int argument) {
    String text = arguments.argument(argument);
    if (text != null && !text.equals("-")) {
      return kept(text);
    }
    if (text == null && environment.isTypedIn()) {
      throw new UsageException(
          "no text given; give the text in quotes, or '-' to read standard input");
    }
    return kept(text == null ? pipe.readUnasked() : piped());
  }

  /** Returns whether standard input has unread bytes; never waits. */
  public boolean hasUnreadPipe() {
    return pipe.isUnread();
  }

  /** Returns the prompt on standard input, or null if standard input has no text. */
  public @Nullable String pipedPrompt() {
    if (!pipe.mayHoldText()) {
      return null;
    }
    String text = pipe.readUnasked();
    return text.isBlank() ? null : text;
  }

  /** Asks the caller for confirmation; every answer but yes means no. */
  public boolean isAgreed(String question) {
    String answer = answerTo(question + " [y/N]");
    return answer != null && (answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes"));
  }

  /** Returns whether a person can be asked a question on a terminal. */
  public boolean canAsk() {
    return !json && environment.isTypedIn() && environment.err().isTerminal();
  }

  /**
   * Asks the caller a question on standard error, and returns the typed line without surrounding
   * blanks; null at the end of standard input.
   */
  public @Nullable String answerTo(String question) {
    environment.err().now(SafeText.line(question) + " ");
    StringBuilder line = new StringBuilder();
    try {
      int next = environment.in().read();
      if (next < 0) {
        return null;
      }
      while (next >= 0 && next != '\n') {
        line.append((char) next);
        next = environment.in().read();
      }
    } catch (IOException unreadable) {
      return null;
    }
    return line.toString().strip();
  }

  // ---- answer

  /**
   * Sets the exit code. Call the method before the answer if possible, because printing fails if
   * the reader has closed the stream.
   */
  public void exitWith(int code) {
    exitCode = code;
  }

  /** Returns the exit code, 0 by default. */
  public int exitCode() {
    return exitCode;
  }

  /** Returns whether the answer has JSON format. */
  public boolean json() {
    return json;
  }

  /** Returns the style of the answer. */
  public Style style() {
    return environment.style();
  }

  /** Prints lines, from which the caller has removed control characters, or a JSON object. */
  public void print(String text) {
    environment.out().line(json ? Json.singleLine(text) : text);
  }

  /** Prints a JSON object with a single member; the member is omitted if the value is null. */
  public void answer(String kind, String member, @Nullable Object value) {
    print(Json.of(kind).with(member, value).json());
  }

  /**
   * Reports a newly created store or session. The report follows the success of a command;
   * long-running commands report earlier.
   */
  public void reportCreation() {
    stores.reportCreation();
  }

  /** Prints a message to standard error immediately. */
  public void warn(String message) {
    environment.warn(message);
  }

  /** Closes the store. */
  @Override
  public void close() {
    stores.close();
  }
}
