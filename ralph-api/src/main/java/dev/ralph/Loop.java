package dev.ralph;

import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs an agent on a session again and again. It begins with the first {@link #step()}, which
 * refuses a session that another loop works on.
 *
 * <p>{@link #step()} and {@link #run()} are for one thread; {@link #cancel(String)} is for any. A
 * loop must be closed: closing one that has not ended cancels it.
 */
public interface Loop extends AutoCloseable {

  /** Whether a loop goes on. */
  enum Progress {
    /** There is more to do: step again. */
    CONTINUE,
    /** The loop has ended: {@link Loop#result()} tells why. */
    ENDED
  }

  /**
   * Runs one iteration with all that belongs to it, or, with several agents, until one has ended or
   * its work has landed; waiting first where the loop has to wait: for a paused session, after a
   * failure, for a rate limit.
   *
   * @throws ContendedException if another loop works on the session, naming host and process
   * @throws RalphException INVALID if a step is under way already, in another thread or around this
   *     call; what the store throws, LOCKED or FULL for instance, after which the loop can be
   *     stepped on
   * @throws RuntimeException if the store, the clock or the tools throw what they should not; the
   *     loop has ended then, with {@link StopReason#FAILURES}, and the session is free
   * @throws Error if anything throws one, an agent, gate or listener included; the loop has ended
   *     then too
   */
  Progress step();

  /**
   * Steps until the loop has ended. A step that the store refuses for now (LOCKED, FULL, and
   * CONTENDED once the session is its own) is taken again after a pause, told as a {@link
   * LoopEvent.Type#NOTICE}: the pause grows as after failed iterations, and as many refusals in a
   * row as {@link Builder#maxFailures} end it.
   *
   * @throws RalphException as {@link #step()}; the loop has not ended then and can be stepped on.
   *     If it is closed instead, it has ended with {@link StopReason#STORE_FAILED}
   */
  LoopResult run();

  /**
   * Returns the prompt that the next iteration would be given as things stand. Changes nothing, and
   * neither begins the loop nor runs the agent. What is allowed in the template but hardly meant,
   * the listeners are told as a {@link LoopEvent.Type#NOTICE}, as when the loop begins.
   */
  String preview();

  /** Returns how the loop ended, or empty while it has not. */
  Optional<LoopResult> result();

  /**
   * Ends the loop: the agent is interrupted and everything it started is ended. Returns at once;
   * the thread that steps returns when all is done.
   *
   * @param reason for people
   */
  void cancel(String reason);

  /**
   * Cancels the loop if it has not ended, and waits until it has, but not for a step of the calling
   * thread itself.
   */
  @Override
  void close();

  /**
   * Sets up what a {@linkplain Iteration.Role role} of a loop has of its own. What is not set is as
   * the loop has it. For one thread.
   */
  interface RoleBuilder {

    /** Tells the agent how to reach the session. */
    RoleBuilder tools(Tools tools);

    /**
     * Gives the whole template of the prompt. If none is set, it is the loop's prompt, with what
     * the role has to do at the placeholder {@code {{role}}}, or before its text if it has none.
     */
    RoleBuilder template(String template);

    /** Gives a file that holds the template; otherwise as above. */
    RoleBuilder template(Path file);

    /** Sets how long an iteration of this role may take. */
    RoleBuilder iterationTimeLimit(Duration limit);

    /** Sets how much an iteration of this role may cost, in US dollars. */
    RoleBuilder iterationMaxCost(BigDecimal usd);

    /** Sets how many tokens an iteration of this role may use. */
    RoleBuilder iterationMaxTokens(long tokens);
  }

  /** Sets up where several agents work at once. For one thread. */
  interface WorkspaceBuilder {

    /**
     * Runs a command in each work tree before an agent works there for the first time, and again
     * where it failed.
     *
     * @param command the program and its arguments, such as {@code npm}, {@code ci}
     */
    WorkspaceBuilder setUp(List<String> command);

    /**
     * Copies something that Git ignores from the project into each work tree when that is made, for
     * example {@code node_modules} or {@code .env}; may be called again.
     *
     * @param path as seen from the loop's folder, and in the repository
     */
    WorkspaceBuilder copy(Path path);

    /**
     * Sets from which port on each agent has ten of its own, told by the variable {@code
     * RALPH_PORT_BASE}; 20000 if not set. Those in use are left out.
     */
    WorkspaceBuilder portBase(int port);

    /**
     * Sets what the branch is called after that work lands on, and the work trees: {@code
     * ralph/NAME}; the session's name if not set.
     *
     * @throws RalphException INVALID if it can't be a segment of a topic
     */
    WorkspaceBuilder name(String name);

    /**
     * Names a file that every task would change, such as a list of what is done, so that all would
     * be in conflict. What agents make of it does not land; each task lands with what the function
     * makes of it, in the same commit.
     *
     * @param file a text in UTF-8, as seen from the top of the repository, and in it; may be
     *     missing
     * @param text returns what is to stand there with a task on the branch, from what stood there
     *     before; an empty text where it was missing. Called before the gates, as often as that is
     *     tried, by the thread that lands and under its lock: it must be quick, must not wait for
     *     the loop, and must return the same text each time
     */
    WorkspaceBuilder onLanding(Path file, BiFunction<Task, String, String> text);

    /**
     * Pushes the session's branch to a remote after each landing. What others have pushed to it
     * meanwhile is taken over first if it passes the gates, and never overwritten.
     *
     * @param remote its name, such as {@code origin}
     */
    WorkspaceBuilder push(String remote);

    /**
     * Lets no hook of Git run. If not set, {@code pre-commit} runs before the gates on what a task
     * is to be merged with, and {@code commit-msg} on the message, both as they were when the loop
     * began.
     */
    WorkspaceBuilder noHooks();

    /**
     * Sets the template of the first line of a task's commit; <code>{title} ({task})</code> if not
     * set.
     *
     * @param template one line with <code>{title}</code>, or <code>{lower-title}</code>, which
     *     begins with a small letter; may have <code>{task}</code>, such as {@code t4}
     * @throws RalphException INVALID if the template has no title or an unknown placeholder
     */
    WorkspaceBuilder commitTitle(String template);

    /**
     * Lets all agents work in the loop's folder at the same time, each seeing what the others are
     * half through with: nothing is landed, and a task is done as soon as its agent says so. Needs
     * no Git.
     */
    WorkspaceBuilder sharedDirectory();
  }

  /**
   * Sets up a loop. For one thread.
   *
   * <p>Limits and pauses are in the machine's own time, which goes on evenly when somebody sets the
   * clock; with a store whose clock is a {@link dev.ralph.spi.MovableClock} they are in that one's.
   * What concerns processes, {@link #grace} for one, is always in the machine's time.
   */
  interface Builder {

    /** Tells the agent how to reach the session; needed by agents that are processes. */
    Builder tools(Tools tools);

    /**
     * Names the document that says what to build; it stands in the prompt as a path. A relative
     * path is as seen from the folder that the agent works in.
     */
    Builder spec(Path spec);

    /**
     * Gives the prompt itself instead of a template. Placeholders in it are filled; if it has none,
     * the session's state is added after it.
     */
    Builder prompt(String prompt);

    /** Gives the template of the prompt. */
    Builder template(String template);

    /**
     * Gives a file, in UTF-8, that holds the template of the prompt. It is read once; errors in it
     * name the file and the line.
     */
    Builder template(Path file);

    /**
     * Gives the text of the placeholder {@code {{extra}}}. Where the template does not have that
     * placeholder, the text stands at the end of the prompt.
     */
    Builder extra(String extra);

    /**
     * Gives the text of a placeholder of the host's own in the template, such as <code>{{story}}
     * </code>. It is asked for again for each iteration, in the thread that steps the loop, and may
     * have several lines; what is inserted is not looked at again. Where it comes out empty, a line
     * that holds nothing else is left out.
     *
     * @param name letters, digits, {@code _} and {@code -}, beginning with a letter; not the name
     *     of a placeholder that every template has
     */
    Builder placeholder(String name, Supplier<String> text);

    /**
     * Adds a variable to the environment of the agent's processes, besides those that name the
     * session; see {@link Turn#variables}.
     *
     * @throws dev.ralph.log.RalphException INVALID if no process can have the variable, for example
     *     because name and value together are longer than 127 KiB
     */
    Builder variable(String name, String value);

    /**
     * Lets that agent plan, in place of the loop's own: as long as the session has no task, and a
     * spec, a prompt or an unread message says what to do. The loop's agent is the one that builds
     * what it has planned. If not set, no iteration is for planning only.
     *
     * @param own gives what the planner does not share with the loop's agent
     */
    Builder plan(Agent planner, Consumer<RoleBuilder> own);

    /** As above, of a planner that shares all with the loop's agent. */
    default Builder plan(Agent planner) {
      return plan(planner, role -> {});
    }

    /**
     * Lets that agent review what was done: as soon as so many iterations of the session have ended
     * well since the last review that did, and never twice in a row. A review counts neither as an
     * iteration in which nothing has changed nor as one in which something has. If not set, there
     * are no reviews.
     *
     * @param every after how many iterations, 1 or more
     * @param own gives what the reviewer does not share with the loop's agent
     */
    Builder review(int every, Agent reviewer, Consumer<RoleBuilder> own);

    /** As above, of a reviewer that shares all with the loop's agent. */
    default Builder review(int every, Agent reviewer) {
      return review(every, reviewer, role -> {});
    }

    /**
     * Lets so many agents work at once, each turn that of a fresh one; 1 if not set. Each works on
     * a task of its own, which the loop gives out, in a Git work tree of its own, on the task's
     * branch. What it has done is brought onto the session's branch, {@code ralph/SESSION}, one
     * task after the other or several together, and only if the {@linkplain #gate gates} pass
     * there: so these are run after each task, and must be able to pass before all are done; a
     * {@link #finalGate} is run once, at the end. A task whose work is in conflict, or fails there,
     * is open again, and the next agent is told why. A task that is completed and has not landed
     * counts as open.
     *
     * <p>As long as no task is ready, one agent works alone, in the same way. Planners and
     * reviewers always do.
     *
     * <p>Limits, budgets, pauses and questions are those of the loop; a limit of an iteration is
     * one agent's. An agent that has failed {@link #maxFailures} times in a row gets no further
     * task; once none is left, the loop ends. A {@link Loop#step} ends once an iteration has ended
     * or something has landed; the agents work on until the next.
     *
     * @param agents 1 to 64; above 1 the loop's agent has to be one that {@linkplain
     *     Agent#canBeOneOfSeveral can be one of several}
     */
    Builder agents(int agents);

    /**
     * As above, of these agents, for example of several clients, 1 to 64. The first works alone
     * where one does. They take the place of the loop's own.
     *
     * @param own gives what one of them does not share with the loop
     */
    Builder agents(List<Agent> agents, BiConsumer<Agent, RoleBuilder> own);

    /** As above, of agents that share all with the loop. */
    default Builder agents(List<Agent> agents) {
      return agents(agents, (agent, own) -> {});
    }

    /** Sets up where several agents work. */
    Builder workspaces(Consumer<WorkspaceBuilder> places);

    /** Sets the folder that agent and gates work in; the present one if not set. */
    Builder directory(Path directory);

    /**
     * Sets how many iterations this run has at most, failed and rate-limited ones included; 50 if
     * not set, 0 is endless.
     */
    Builder maxIterations(int iterations);

    /**
     * Sets how long this run may take from its first step on, with all its iterations, gates and
     * pauses, including those of a paused session.
     */
    Builder timeLimit(Duration limit);

    /**
     * Sets how much all iterations of this run may cost together, in US dollars; no limit if not
     * set. After a kill, the next loop continues the run: what the killed one used counts. As soon
     * as the agent reports more than the limit, it is ended, and the loop ends with {@link
     * StopReason#BUDGET}. Only what an agent reports is limited. If it turns out that it reports
     * nothing, a {@link LoopEvent.Type#NOTICE} says so.
     */
    Builder maxCost(BigDecimal usd);

    /**
     * Sets how many tokens all iterations of this run may use together, read, read from a cache and
     * written; no limit if not set. Otherwise as {@link #maxCost}.
     */
    Builder maxTokens(long tokens);

    /**
     * Counts towards {@link #maxCost} and {@link #maxTokens} what the session's iterations from
     * that number on used before this run: for a run that is a part of a longer one. If not set, of
     * earlier runs only a killed one counts.
     *
     * @param iteration the number of the first one that counts
     */
    Builder budgetFrom(int iteration);

    /**
     * Sets how much one iteration may cost, in US dollars; no limit if not set. An agent that tells
     * of more is ended, and the iteration counts as failed.
     */
    Builder iterationMaxCost(BigDecimal usd);

    /** Sets how many tokens one iteration may use; otherwise as {@link #iterationMaxCost}. */
    Builder iterationMaxTokens(long tokens);

    /**
     * Sets whether a {@linkplain IterationLog#record record} of each iteration is kept: its prompt,
     * and what the agent tells by {@link Turn#record}; it is if not set. The transcript is kept in
     * any case.
     */
    Builder record(boolean keep);

    /**
     * Sets after how many iterations in a row that ended well and changed nothing the loop ends
     * with {@link StopReason#NO_PROGRESS}; 5 if not set, 0 for never. Something has changed if
     * anybody but the loop wrote to the session; if in the Git work tree around the folder there is
     * another commit, branch or changed file, of those that Git does not ignore; where there is no
     * work tree, if a file in the folder has another size or time. A folder that can't be looked at
     * in about a second counts as changed, and after three times in a row for the rest of the run.
     * Files are looked at before the first iteration, and after those in which nobody wrote to the
     * session; a host whose agent can't idle saves that time with 0. The agent is told of it in its
     * prompt before the end, and between such iterations the loop waits: see {@link #failurePause}.
     */
    Builder maxIdle(int iterations);

    /**
     * Sets the attempt limit of a task: how often several agents may complete it in vain. Each
     * return of a completed task is a failed attempt, for example after a failed gate or a merge
     * conflict, and so is an iteration that ends with the completion refused. These are not
     * counted:
     *
     * <ul>
     *   <li>an iteration that did not complete its task, or was killed, timed out or rate limited
     *   <li>a conflict with a merge that is newer than the task's completion
     *   <li>a failure of gates that fail on the session's branch without the task too; three such
     *       returns in a row end the loop with {@link StopReason#GATE_FAILED}
     * </ul>
     *
     * <p>At the limit the task is blocked, with the reason of the last return. If no open task can
     * be begun because of that, the loop ends with {@link StopReason#TASKS_BLOCKED}. An attempt
     * without a new commit changes nothing: see {@link #maxIdle}. A loop of one agent returns no
     * task.
     *
     * @param attempts the limit; 5 if not set, 0 for none
     * @see Task#attempts
     */
    Builder maxAttempts(int attempts);

    /** Sets how long one iteration may take; a longer one is ended and counts as failed. */
    Builder iterationTimeLimit(Duration limit);

    /**
     * Sets how long an agent and its processes have to end when asked to; 5 seconds if not set.
     * More than 365 days count as 365.
     *
     * <p>A gate that is cut off is waited for as long, and 16 seconds more. One whose code does not
     * heed its interrupt is left behind then, with its thread.
     */
    Builder grace(Duration grace);

    /**
     * Sets for how long the loop keeps the session without a sign of life, which it gives three
     * times as often. Then a loop on another machine may take its place: so an agent is ended a
     * moment before, if no sign of life has reached the store until then. On the same machine the
     * loop's process tells, at once.
     *
     * <p>If not set: on a store that is a server's, 60 seconds or four times the {@linkplain #grace
     * grace}, whichever is more. Elsewhere only the process tells, and a loop on another machine
     * keeps the session until {@link Control#loopIsGone}.
     *
     * @param lease more than twice the grace, so that an agent has ended before another loop begins
     */
    Builder lease(Duration lease);

    /**
     * Sets whether {@link Loop#run} waits while another loop has the session, and goes on within a
     * second of when that has ended or its lease is over; false if not set: then it fails at once.
     */
    Builder standBy(boolean wait);

    /**
     * Sets whether the loop waits before an iteration while questions to the operator are open;
     * false if not set.
     */
    Builder waitForAnswers(boolean wait);

    /** Adds what must hold before the session counts as complete: a command, or code. */
    Builder gate(Gate gate);

    /**
     * Adds a gate that is run only once all others have passed, because it keeps the work: a
     * commit, for example. One that does not pass is told to the agent as any other.
     */
    Builder finalGate(Gate gate);

    /**
     * Sets what knows better than the agent whether the work is done, for example because the plan
     * is kept elsewhere. It is asked after each iteration and before the first, in the thread that
     * steps the loop, and may bring the session up to date. Where it says yes, and no task is open
     * and no message unread, completion counts as claimed: the gates are run, and what fails is
     * told to the agent. The agent can claim completion as well.
     *
     * <p>{@code doneWhen(session -> true)} is right where tasks and messages say all that there is
     * to do: the loop ends as soon as nothing of it is left, and nobody has to say so. If it is not
     * set, only the agent, or a person, says so, because a spec or a prompt may ask for more than
     * the tasks that it has made of it.
     *
     * <p>What it throws, {@link Loop#step} throws; the next step asks again.
     */
    Builder doneWhen(Predicate<Session> done);

    /** Sets how many failed iterations in a row end the loop; 3 if not set. */
    Builder maxFailures(int failures);

    /**
     * Sets the pause after a first failure, and after a first iteration that changed nothing;
     * doubled with each further one up to 5 minutes; 1 second if not set. A longer one stays as it
     * is, but more than 365 days count as 365.
     */
    Builder failurePause(Duration pause);

    /**
     * Sets where the agent and the gates run: with their thread locals, scoped values or logging
     * context, on virtual threads, whatever the executor gives them. If it is not set, each has a
     * daemon thread of its own. There is never more than one at a time, or one for each of several
     * agents and one for a gate; so the executor needs as many threads free besides the one that
     * steps the loop, and must not run the work in the calling thread. If it rejects an agent, the
     * loop ends with {@link StopReason#FAILURES} and says so; if no thread of it takes one up in 10
     * seconds, a {@link LoopEvent.Type#NOTICE} tells. The loop does not shut it down.
     */
    Builder executor(Executor executor);

    /**
     * Adds a listener. It is called on the loop's threads, one event at a time, and should return
     * soon. An exception that it throws is logged and changes nothing; an {@link Error}, such as a
     * failed assertion, ends the loop and is thrown by {@link Loop#step}. While it does not return,
     * other threads of the loop wait 10 seconds to tell the next event, and then drop it and those
     * that follow: an agent that speaks is ended in its time all the same. A listener that hangs at
     * an event told by the thread that steps, one of any kind but {@link LoopEvent.Type#OUTPUT},
     * {@link LoopEvent.Type#USAGE} and {@link LoopEvent.Type#NOTICE}, holds up the loop itself; no
     * agent runs then.
     */
    Builder onEvent(Consumer<LoopEvent> listener);

    /**
     * Makes the loop.
     *
     * @throws RalphException INVALID if the setting can't work: an agent that needs tools without
     *     them or, unless it works in a work tree, {@linkplain Agent#requireReady can't be
     *     started}, {@linkplain Tools#requireReady tools} that don't reach the store, a template
     *     with an unknown placeholder, a spec or folder that does not exist
     */
    Loop build();

    /** Makes the loop, runs it, and closes it. */
    LoopResult run();
  }
}
