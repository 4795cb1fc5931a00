package dev.ralph.cli.call;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.openspec.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One call of one command: what it was given, and how it answers. */
public final class Invocation implements AutoCloseable {

  /** A command line longer than this is not shown again. */
  private static final int LONGEST_LINE = 500;

  private final Environment environment;
  private final Pipe pipe;
  private Arguments arguments;
  private final boolean json;
  private @Nullable StoreAccess store;
  private boolean sharesStore;
  private @Nullable Instant viewedTime;
  private @Nullable String news;
  private boolean askedGit;
  private int exitCode = ExitCode.DONE;

  /** The session of a call that names none, once that is known. */
  private @Nullable String unnamed;

  public Invocation(Environment environment, Arguments arguments) {
    this.environment = environment;
    this.pipe = new Pipe(environment);
    this.arguments = arguments;
    this.json = arguments.has("json");
  }

  public Environment environment() {
    return environment;
  }

  /** Returns a call with the same arguments in another folder. */
  public Invocation in(Path folder) {
    return new Invocation(environment.in(folder), arguments);
  }

  public Arguments arguments() {
    return arguments;
  }

  /**
   * Returns the project's file of that name, or null if there is none; says so where one is passed
   * over.
   */
  public @Nullable Path projectFile(String name) {
    Project project = new Project(environment);
    Path file = project.find(name);
    Path other = project.passedOver();
    if (other != null) {
      warn(other + " belongs to another user and is not read");
    }
    return file;
  }

  /**
   * Returns the nearest folder that holds something, or the current one if none does.
   *
   * @param inside a relative path of names
   */
  public Path projectFolder(Path inside) {
    Path found = projectFile(inside.toString());
    if (found == null) {
      return environment.directory();
    }
    Path folder = found;
    for (int i = 0; i < inside.getNameCount(); i++) {
      folder = Objects.requireNonNull(folder.getParent(), "a folder that holds what was found");
    }
    return folder;
  }

  /** Adds options that the call has not; returns the names of those it now has from there. */
  public List<String> addDefaults(Arguments defaults) {
    List<String> added = new ArrayList<>(defaults.names());
    added.removeIf(arguments::has);
    arguments = arguments.orElse(defaults);
    return added;
  }

  // ---- what it is about

  /**
   * Returns the name of the session: the one given, else that in the variable, in the project's
   * file, or of the only session in the store.
   *
   * @throws UsageException if there is none of these, or it can't be one
   */
  public String sessionName() {
    String name = namedHere();
    if (name == null) {
      name = unnamed;
    }
    if (name == null) {
      name = nameInProject();
      if (name == null) {
        name = onlySession();
      }
      unnamed = name;
    }
    try {
      return Topic.checkSegment("a session's name", name);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable String namedHere() {
    String name = arguments.text("name");
    return name == null ? environment.variable("RALPH_SESSION") : name;
  }

  private @Nullable String nameInProject() {
    Path file = projectFile(ConfigFile.NAME);
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
    if (!arguments.has("create") || !storeAddress().isAbsent()) {
      try {
        names = store().sessions();
      } catch (NotFoundException noStore) {
        // then there is no session either
      }
    }
    if (names.size() == 1) {
      return names.get(0);
    }
    throw new UsageException(
        "--name flag required: which session? (or set RALPH_SESSION)" + SessionNames.there(names));
  }

  /**
   * Returns the name of the change that the call gives, or null. A shell completes it as a folder,
   * which counts as its name.
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

  /** Returns whether a session is named at all. */
  public boolean namesASession() {
    return namedHere() != null;
  }

  /** Returns the options by which another call means that session, each with a blank before it. */
  public String sessionWords(String session) {
    String given = arguments.text("store");
    List<String> words = given == null ? List.of() : List.of("--store", given);
    return " -n " + session + (words.isEmpty() ? "" : " " + CommandLineWords.join(words));
  }

  /**
   * Says how to do the same again: by a command that can be copied and typed as it stands, or else
   * in words.
   *
   * @param session the session that it works on
   */
  public String goOn(String session) {
    String line =
        "ralph "
            + arguments.command()
            + (arguments.has("name") ? "" : " -n " + session)
            + (arguments.words().isEmpty() ? "" : " " + CommandLineWords.join(arguments.words()));
    boolean canBeTyped = line.length() <= LONGEST_LINE && line.equals(SafeText.line(line));
    if (pipe.hadText()) {
      return canBeTyped
          ? "go on with the same text piped into: " + line
          : "go on with the same command and the same text piped into it";
    }
    return canBeTyped ? "go on with: " + line : "go on with the same command";
  }

  /** Looks for the store where all work trees of a repository find the same one. */
  public void shareStore() {
    sharesStore = true;
  }

  /** Returns where the store is. */
  public StoreAddress storeAddress() {
    StoreAddress address = StoreAddress.of(arguments.text("store"), environment);
    return sharesStore ? address.shared() : address;
  }

  /** Returns the store; it must exist, unless the call says {@code --create}. */
  public StoreAccess store() {
    if (store == null) {
      StoreAddress address = storeAddress();
      boolean mayBeTracked = mayBeTracked(address);
      if (arguments.has("create")) {
        warnIfGone(address);
      }
      store = arguments.has("create") ? StoreAccess.orNew(address) : StoreAccess.existing(address);
      if (mayBeTracked) {
        warnIfTracked();
      }
    }
    return store;
  }

  /** Returns the store, made if it is missing, which {@link #tellNews()} says. */
  public StoreAccess newStore() {
    if (store == null) {
      StoreAddress address = storeAddress();
      boolean mayBeTracked = mayBeTracked(address);
      warnIfGone(address);
      store = StoreAccess.orNew(address);
      if (mayBeTracked) {
        warnIfTracked();
      }
      if (store.isNew() && !arguments.has("create")) {
        news = "made the store " + address.location() + address.passedOver();
      }
    }
    return store;
  }

  /** Says so if there was a store where there is none. */
  private void warnIfGone(StoreAddress address) {
    if (address.isAbsent()) {
      String gone = StoreAccess.gone(address);
      if (gone != null) {
        warn("warning: " + gone);
      }
    }
  }

  /** Returns whether the store has not told git yet to ignore it: it is new, or an old one. */
  private static boolean mayBeTracked(StoreAddress address) {
    Path directory = address.directory();
    return directory != null && Files.notExists(directory.resolve(".gitignore"));
  }

  /**
   * Warns if git tracks files of the store, unless that was said already. Git is asked, which takes
   * longer than a short command should.
   */
  public void warnIfTracked() {
    if (askedGit) {
      return;
    }
    askedGit = true;
    Path directory = storeAddress().directory();
    String warning = directory == null ? null : GitFiles.warning(directory);
    if (warning != null) {
      warn("warning: " + warning);
    }
  }

  /** Returns the store; made if it is missing, unless the caller said where it has to be. */
  public StoreAccess storeToBegin() {
    return store == null && !storeAddress().isGiven() ? newStore() : store();
  }

  /** Returns the store, or an empty one where it does not exist; makes nothing. */
  public StoreAccess storeIfAny() {
    try {
      return store();
    } catch (NotFoundException e) {
      warnIfGone(storeAddress());
      store = StoreAccess.absent(storeAddress());
      return store;
    }
  }

  /**
   * Returns the session, to change it.
   *
   * @throws RalphException NOT_FOUND if it has no frames yet, naming the nearest that has
   */
  public Session session() {
    return begun(sessionName());
  }

  /**
   * Returns the session, which may be new. That it is, is said by {@link #tellNews()}: a name with
   * a typo looks like a new one.
   */
  public Session sessionOrNew() {
    String name = sessionName();
    if (!store().hasSession(name)) {
      if (name.startsWith("-")) {
        throw new UsageException(
            "a new session's name must not begin with '-', as "
                + RalphException.quote(name)
                + " does: that is most likely an option");
      }
      noteIfNew(name);
    }
    return open(name);
  }

  /** Takes note, for {@link #tellNews()}, that a session has no frames yet. */
  public void noteIfNew(String name) {
    if (!store().isNew() && !store().hasSession(name)) {
      news = SessionNames.isNew(name, store(), storeAddress());
    }
  }

  /** Returns the session of that name, which must have begun. */
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
   * Checks that a session has begun.
   *
   * @throws RalphException NOT_FOUND if it has no frames yet, naming the nearest that has
   */
  public void requireBegun(String name) {
    if (!store().hasSession(name)) {
      String from =
          arguments.text("name") != null
              ? ""
              : namesASession()
                  ? ", which is the value of RALPH_SESSION,"
                  : ", which " + ConfigFile.NAME + " names,";
      throw SessionNames.unknown(name, from, store(), storeAddress());
    }
  }

  /** Returns the session, to look at it, as it is or as {@code --at} says. */
  public Session view() {
    String name = sessionName();
    String at = arguments.text("at");
    if (at == null) {
      return begun(name);
    }
    return at(begun(name), "--at", at);
  }

  /**
   * Returns the session as it was right after a frame, at a time, or some time ago.
   *
   * @param option what the moment was given for, as the error message calls it
   */
  public Session at(Session session, String option, String moment) {
    Duration ago = Durations.parse(moment);
    if (ago != null) {
      viewedTime = Instant.now().minus(ago);
      return session.at(viewedTime);
    }
    if (isTime(moment)) {
      viewedTime = time(option, moment);
      return session.at(viewedTime);
    }
    Frame frame = store().frame(moment);
    viewedTime = frame.time();
    return session.at(frame);
  }

  /** Returns whether that is meant as a time, not as the id of a frame. */
  public static boolean isTime(String when) {
    return when.indexOf('-') > 0 || when.indexOf(':') > 0;
  }

  /**
   * Returns the time that the value of an option stands for.
   *
   * @throws UsageException if it stands for none
   */
  public static Instant time(String option, String value) {
    Instant time = Times.parse(value, ZoneId.systemDefault());
    if (time == null) {
      throw new UsageException(
          option
              + " takes a frame's id, a time such as 2026-01-31T09:05:00Z, or how long ago, such as"
              + " 30m, not "
              + RalphException.quote(value));
    }
    return time;
  }

  /**
   * Returns the time that {@link #view} looked at, or the present one: a look at the past asks
   * which leases ran then, not which run now.
   */
  public Instant moment() {
    return viewedTime == null ? Instant.now() : viewedTime;
  }

  /** Returns the iteration that something is done in: as told, or the one that runs, or 0. */
  public int iteration(Session session) {
    int told = arguments.number("iteration", 0, 1, Integer.MAX_VALUE);
    if (told > 0) {
      return told;
    }
    return session.iterations().running(agent(session.name())).map(Iteration::number).orElse(0);
  }

  /** Returns whether an agent of that session's loop may call this, and not only a person. */
  public boolean isOfLoop(String session) {
    return session.equals(environment.variable("RALPH_SESSION"));
  }

  /** Returns the name of the person who calls this. */
  public String person() {
    String user = environment.variable("USER");
    return user == null || user.isBlank() ? "a person" : user;
  }

  /** Returns the same as {@link #agent()} if it is that session that the loop is of, or else 0. */
  private int agent(String session) {
    return isOfLoop(session) ? agent() : 0;
  }

  /**
   * Returns the number of the agent that calls this, if it is one of several that a loop lets work
   * at once; 0 for anybody else.
   */
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
      // said below
    }
    throw new UsageException(
        Turn.AGENT
            + " must be the number of an agent, from 1, not "
            + RalphException.quote(number)
            + "; a loop sets it for each of several agents, nobody else has to");
  }

  /** Returns the text given as that argument; {@code -} stands for what is piped in. */
  public String text(int argument) {
    return kept(orPiped(arguments.requiredArgument(argument)));
  }

  /** Returns the text given as that argument, if any; {@code -} stands for what is piped in. */
  public @Nullable String textIfAny(int argument) {
    String text = arguments.argument(argument);
    return text == null ? null : kept(orPiped(text));
  }

  /** Returns what is kept of a text: of an agent's, what is no secret. */
  public String kept(String text) {
    return Redaction.kept(text, environment);
  }

  /** Returns the text given as {@code --reason}, if any; {@code -} stands for what is piped in. */
  public @Nullable String reason() {
    String text = textIfAny("reason");
    return text == null ? null : kept(text);
  }

  /** Returns the text given as that option, if any; {@code -} stands for what is piped in. */
  public @Nullable String textIfAny(String option) {
    String text = arguments.text(option);
    return text == null ? null : orPiped(text);
  }

  private String orPiped(String text) {
    return text.equals("-") ? piped() : text;
  }

  /**
   * Returns what is piped in.
   *
   * @throws UsageException if it was read before: there is only one
   */
  public String piped() {
    return pipe.read();
  }

  /**
   * Returns the text given as that argument, or piped in if there is none.
   *
   * @throws UsageException if it would have to be typed
   */
  public String textOrPiped(int argument) {
    String text = arguments.argument(argument);
    if (text != null && !text.equals("-")) {
      return kept(text);
    }
    if (text == null && environment.isTypedIn()) {
      throw new UsageException("there is no text; give it in quotes, or '-' and pipe it in");
    }
    return kept(text == null ? pipe.readUnasked() : piped());
  }

  /** Returns whether something is piped in by now that nobody has read; never waits for it. */
  public boolean hasUnreadPipe() {
    return pipe.isUnread();
  }

  /** Returns the prompt that is piped in, or null if there is none. */
  public @Nullable String pipedPrompt() {
    if (!pipe.mayHoldText()) {
      return null;
    }
    String text = pipe.readUnasked();
    return text.isBlank() ? null : text;
  }

  /** Asks the person who calls; what is no yes is a no. */
  public boolean isAgreed(String question) {
    environment.err().now(SafeText.line(question) + " [y/N] ");
    StringBuilder line = new StringBuilder();
    try {
      int next = environment.in().read();
      while (next >= 0 && next != '\n') {
        line.append((char) next);
        next = environment.in().read();
      }
    } catch (IOException unreadable) {
      return false;
    }
    String answer = line.toString().strip();
    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
  }

  // ---- how it answers

  /**
   * Sets the exit code. A command that knows it before it answers sets it before, because the
   * answer fails where nobody reads it any more.
   */
  public void exitWith(int code) {
    exitCode = code;
  }

  /** Returns the exit code that was set, or 0. */
  public int exitCode() {
    return exitCode;
  }

  /** Returns whether the answer is to be in JSON. */
  public boolean json() {
    return json;
  }

  /** Returns how the answer is to look. */
  public Style style() {
    return environment.style();
  }

  /** Answers with lines of text, made harmless before. */
  public void print(String text) {
    environment.out().line(text);
  }

  /** Answers with an object that holds one thing, or nothing where that is null. */
  public void answer(String kind, String member, @Nullable Object value) {
    print(Json.of(kind).with(member, value).json());
  }

  /**
   * Says what the command has begun that was not there before. Said when a command has succeeded;
   * one that goes on for long says it before.
   */
  public void tellNews() {
    if (news != null) {
      warn(news);
      news = null;
    }
  }

  /** Says something beside the answer, at once. */
  public void warn(String message) {
    environment.warn(message);
  }

  /** Closes the store, after a word on what could not be read of it. */
  @Override
  public void close() {
    if (store == null) {
      return;
    }
    try {
      List<Damage> damage = store.ralph().damage();
      if (!damage.isEmpty()) {
        warn(
            "warning: the store is damaged ("
                + damage.get(0)
                + (damage.size() > 1 ? ", and " + (damage.size() - 1) + " more" : "")
                + "); what is shown lacks what was lost; see ralph verify");
        environment.err().flush();
      }
    } catch (OutputException nobodyReads) {
      // What the command came to is not changed by that.
    } finally {
      store.close();
    }
  }
}
