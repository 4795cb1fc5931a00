package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;

/**
 * The shared state of agents working on one goal: tasks, notes, inbox, questions and iterations.
 * Each part is folded from the frames below {@code ralph.<name>}.
 */
public interface Session {

  /** Returns the session's name. */
  String name();

  /** Returns the tasks. */
  TaskLog tasks();

  /** Returns the notes of iterations for later iterations. */
  NoteLog notes();

  /** Returns the messages to agents. */
  Inbox inbox();

  /** Returns the questions of agents to the operator. */
  Questions questions();

  /** Returns the iterations. */
  IterationLog iterations();

  /** Returns the control of the loop: completion, pause, stop. */
  Control control();

  /**
   * Returns the clock for leases on tasks and messages. The clock of a past session stands still.
   */
  Clock clock();

  /**
   * Returns this session for an agent. The store's {@link Redactor} redacts the text of tasks,
   * reasons and questions that an agent writes, as it redacts all notes. A loop's {@link Turn} and
   * the tools have such a session.
   *
   * @return the session; this session if it is read-only
   */
  default Session asAgent() {
    return this;
  }

  /**
   * Returns this session for one of several agents of a loop, like {@link #asAgent()}. In addition,
   * the agent can begin and complete only the assigned task, because the branch is merged for this
   * task only. Changes to the task fail after the loop has taken the task back.
   *
   * @param agent the number of the agent, from 1; 0 for a single agent
   * @return the session; this session if it is read-only
   */
  default Session asAgent(int agent) {
    return this;
  }

  /**
   * Returns this session for an agent that works in a folder, like {@link #asAgent(int)}. The agent
   * can complete its task only if its work merges with the session's branch. Otherwise the
   * completion is refused; the message names the files in conflict and the command that merges the
   * branch.
   *
   * @param agent the number of the agent, from 1; 0 for a single agent
   * @param directory a folder of the agent's work tree or repository; the other method uses the
   *     working directory of this process
   * @return the session; this session if it is read-only
   */
  default Session asAgent(int agent, Path directory) {
    return asAgent(agent);
  }

  /**
   * Returns this session for a person. Each written frame of tasks, notes and control has the name
   * as its member {@code by}, as messages and answers have. A task that a person has completed
   * stays completed, also if a host of the session dies and completions of agents are lost.
   *
   * @param name the name of the person, for people
   * @return the session; this session if it is read-only
   * @throws RalphException INVALID if the name is blank
   */
  default Session asPerson(String name) {
    return this;
  }

  /** Opens the tools of an agent with {@link ToolSettings#STANDARD}. */
  default AgentTools openTools() {
    return openTools(ToolSettings.STANDARD);
  }

  /**
   * Opens the tools of an agent in this program, such as a model that the host calls itself. An
   * agent of a loop uses {@link Turn#openTools()} instead.
   *
   * @return the tools of one agent, which the caller closes after the agent has ended
   */
  AgentTools openTools(ToolSettings settings);

  /**
   * Returns the session right after a frame, read-only. Each part, such as the tasks, is folded
   * from the log on first use, and kept. This can take as long as reading all frames of the part.
   *
   * @return a session whose changing methods throw UNSUPPORTED
   * @throws NotFoundException if the session's store does not have the frame
   */
  Session at(Frame frame);

  /**
   * Returns the session at a time, read-only: right after the last frame up to this time. All parts
   * have the same moment, also if hosts with different clocks write the log or a clock was set
   * back; earlier frames may then have a later time. Costs as much as {@link #at(Frame)}, and reads
   * the frames after the time too.
   *
   * @return a session whose changing methods throw UNSUPPORTED
   */
  Session at(Instant time);

  /**
   * Creates a new session in the same store with the state of this session: {@code
   * session.at(frame).fork("another-try")}. The new session has the tasks with their dependencies,
   * numbers and keys, the notes, the unread messages and the open questions. The copy has no claims
   * and no iterations; tasks in progress are remaining. All frames are appended atomically.
   *
   * @param name the name of the new session, which must not exist
   * @return the new session
   * @throws RalphException INVALID if the name is malformed, the session exists, or the state
   *     exceeds the largest batch of the store
   */
  Session fork(String name);

  /** Creates a new session in another store, like {@link #fork(String)}. */
  Session fork(Ralph other, String name);

  /**
   * Erases all frames of the session permanently, like {@link dev.ralph.log.FrameLog#erase}. The
   * session is not listed afterwards; a later frame begins a new session with the same name. The
   * name and the times of the frames stay in the store. If the method is interrupted, the session
   * still exists; call the method again.
   *
   * @throws NotFoundException if the session does not exist
   * @throws ContendedException while a loop runs, or if others keep writing to the session
   * @throws RalphException UNSUPPORTED if the store can't erase, or for a past session
   */
  void delete();

  /**
   * Returns a step, which runs work at most once, with one attempt and no recovery.
   *
   * @param name the name of the step, unique in the session
   */
  Step step(String name);

  /**
   * Runs work without a result at most once, as {@link Step#run(Step.Action)}.
   *
   * <pre>{@code
   * session.step("send mail", () -> mail.send(message));
   * }</pre>
   */
  default <X extends Exception> void step(String name, Step.Action<X> work) throws X {
    step(name).run(work);
  }

  /**
   * Runs work with a result at most once, as {@link Step#call(StepCodec, Step.Work)}.
   *
   * <pre>{@code
   * String receipt = session.step("charge card", StepCodec.text(), () -> bank.charge(card, 20));
   * }</pre>
   */
  default <T, X extends Exception> T step(String name, StepCodec<T> codec, Step.Work<T, X> work)
      throws X {
    return step(name).call(codec, work);
  }

  /**
   * Runs work with a result at most once, as {@link Step#call(StepCodec, Step.Work,
   * Step.Recovery)}.
   *
   * @param recovery returns the result of an interrupted call
   */
  default <T, X extends Exception> T step(
      String name, StepCodec<T> codec, Step.Work<T, X> work, Step.Recovery<T, X> recovery)
      throws X {
    return step(name).call(codec, work, recovery);
  }

  /** Returns a builder of a loop that runs an agent on this session. */
  Loop.Builder loop(Agent agent);

  /**
   * An entry of a list of sessions, which does not read the sessions' state.
   *
   * @param name the name of the session
   * @param lastUsed the time of its newest frame
   */
  record Listed(String name, Instant lastUsed) {

    /** Creates an entry. */
    public Listed {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(lastUsed, "lastUsed");
    }

    /**
     * Returns the entry as JSON: {@code name}, {@code last_used}. Jackson serializes the entry as
     * this object.
     */
    @JsonValue
    public Meta json() {
      return Meta.of("name", name).with("last_used", EventTime.format(lastUsed));
    }
  }
}
