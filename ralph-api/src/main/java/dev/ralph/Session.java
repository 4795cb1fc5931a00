package dev.ralph;

import dev.ralph.log.ContendedException;
import dev.ralph.log.Frame;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The state of one goal that agents work on, run after run: tasks, notes, inbox, questions,
 * iterations, each reduced from the frames under {@code ralph.<name>}.
 */
public interface Session {

  /** Returns the session's name. */
  String name();

  /** Returns the tasks. */
  TaskLog tasks();

  /** Returns the notes that iterations leave for later ones. */
  NoteLog notes();

  /** Returns the messages to the agent. */
  Inbox inbox();

  /** Returns the messages as an agent at work is shown them; for those who write agents. */
  AgentInbox agentInbox();

  /** Returns what agents ask the operator. */
  Questions questions();

  /** Returns the iterations, past and present. */
  IterationLog iterations();

  /** Returns what steers a running loop: completion, pause, stop. */
  Control control();

  /**
   * Returns the clock that leases on tasks and messages are checked against. A past session's clock
   * stands still.
   */
  Clock clock();

  /**
   * Returns this session as an agent writes to it: what it says in tasks, reasons and questions is
   * kept as the store's {@link Redactor} lets it be, as all notes are. A loop's {@link Turn} has
   * its session so, and so have the tools.
   *
   * @return this session itself where nothing can be written
   */
  default Session asAgent() {
    return this;
  }

  /**
   * Returns this session as one of several agents of its loop writes to it. As {@link #asAgent()};
   * besides, the agent begins and completes only the task that the loop gave it, because only that
   * lands from its branch. What it says of that task is refused once the loop has taken it back.
   *
   * @param agent its number, from 1; 0 for one that works alone
   * @return this session itself where nothing can be written
   */
  default Session asAgent(int agent) {
    return this;
  }

  /**
   * Returns this session as {@link #asAgent(int)} does, for an agent that works in a folder. The
   * agent completes its task only if its work merges with the session's branch: otherwise the
   * completion is refused, with the files in conflict and the command that merges the branch.
   *
   * @param agent its number, from 1; 0 for one that works alone
   * @param directory a folder of the agent's work tree, or of its repository; the working directory
   *     of this process in the other method
   * @return this session itself where nothing can be written
   */
  default Session asAgent(int agent, Path directory) {
    return asAgent(agent);
  }

  /**
   * Returns this session as a person changes it: each frame of tasks, notes and control that is
   * written through it has the name as its {@code by}, as messages and answers have. What a person
   * completes stands even where a host of the session dies and what agents completed is lost.
   *
   * @param name who it is, for people
   * @return this session itself where nothing can be written
   * @throws RalphException INVALID if the name is blank
   */
  default Session asPerson(String name) {
    return this;
  }

  /** Does what {@link #openTools(ToolSettings)} does, with {@link ToolSettings#STANDARD}. */
  default AgentTools openTools() {
    return openTools(ToolSettings.STANDARD);
  }

  /**
   * Opens the tools that an agent in this program works on the session with, such as a model that
   * the host calls itself. A loop's agent takes {@link Turn#openTools()} instead.
   *
   * @return tools of one agent, to be closed when it has ended
   */
  AgentTools openTools(ToolSettings settings);

  /**
   * Returns this session as it was right after that frame: to look at, not to change. Each part of
   * it, such as the tasks, is folded from the log when it is first asked for, and kept: this can
   * take as long as reading that part's frames from their beginning.
   *
   * @return a session whose changing methods throw UNSUPPORTED
   * @throws NotFoundException if the frame is not one of the session's store
   */
  Session at(Frame frame);

  /**
   * Returns this session as it was at that time, which is right after the last of its frames that
   * is not later: to look at, not to change. All parts are of the same moment, also where hosts
   * whose clocks differ write to the log, or a clock was set back; frames before that last one may
   * bear a later time then. Costs what {@link #at(Frame)} does, and the reading of what came since.
   *
   * @return a session whose changing methods throw UNSUPPORTED
   */
  Session at(Instant time);

  /**
   * Begins another session of the same store with what this one holds at the moment that it shows:
   * {@code session.at(frame).fork("another-try")}. It gets the tasks with their dependencies,
   * numbers and keys, the notes, the messages that are unread and the questions that are open; it
   * gets no claims and no iterations, and a task that was in progress is remaining there. All of it
   * is appended at once, or nothing.
   *
   * @param name of the new session, which must not exist
   * @return the new session
   * @throws RalphException INVALID for any other name, if there is such a session, or if this one
   *     holds more than the store takes in one batch
   */
  Session fork(String name);

  /** Does what {@link #fork(String)} does, but begins the session in another store. */
  Session fork(Ralph other, String name);

  /**
   * Erases all frames of the session for good, as {@link dev.ralph.log.FrameLog#erase} does. The
   * session is not listed afterwards; a later frame begins a new session of the same name. Its name
   * and the times of its frames stay in the store. If this is cut short, the session is still
   * there; calling it again does the rest.
   *
   * @throws NotFoundException if there is no such session
   * @throws ContendedException while a loop runs, or if others keep writing to the session
   * @throws RalphException UNSUPPORTED if the store can't erase, or for a moment of the past
   */
  void delete();

  /** Does what the other one does, and throws a {@link HalfDoneException} where it is half done. */
  default <T> T step(String name, StepCodec<T> codec, Supplier<T> work) {
    return step(
        name,
        codec,
        work,
        halfDone -> {
          throw halfDone;
        });
  }

  /**
   * Does something once: a payment, a mail, a call that costs. Its result is kept in the log. A
   * step of that name that is asked for again, by whatever process, returns it and does nothing.
   *
   * <pre>{@code
   * String receipt = session.step("charge card", StepCodec.text(), () -> bank.charge(card, 20));
   * }</pre>
   *
   * <p>Where the process was killed meanwhile, nobody knows how far it came: the one that asks for
   * the step then is told, and says what it comes to, by doing it again or by looking. What the
   * work throws is thrown on, and the step can be done again.
   *
   * <p>What the work reports to {@link Turn#usage} belongs to the iteration that it is done in, and
   * is not reported again.
   *
   * @param name what is done; there is one step of it in the session
   * @param work does it; for as long as it does, others that ask for the step are refused
   * @param halfDone returns the result of a step that was begun and never ended; what it throws is
   *     thrown on, and the step stays as it is. A step that another machine began and did not end
   *     counts as half done, because nobody can tell from here whether it is under way
   * @return the result; the one that was kept as {@code codec} reads it
   * @throws ContendedException if the step is under way, in this process or another of this machine
   * @throws RalphException what the log throws; UNSUPPORTED for a moment of the past
   */
  <T> T step(
      String name, StepCodec<T> codec, Supplier<T> work, Function<HalfDoneException, T> halfDone);

  /** Begins a loop that runs the agent on this session again and again. */
  Loop.Builder loop(Agent agent);

  /**
   * A session as it is listed, without reading what is in it.
   *
   * @param name the session's name
   * @param lastUsed when its newest frame was appended
   */
  record Listed(String name, Instant lastUsed) {

    /** Lists a session. */
    public Listed {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(lastUsed, "lastUsed");
    }
  }
}
