package dev.ralph;

import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs an agent on a session repeatedly. The loop begins with the first {@link #step()}, which
 * fails if another loop runs on the session.
 *
 * <p>{@link #step()} and {@link #run()} are for one thread; {@link #cancel(String)} is for any
 * thread. {@link #start()} runs the loop on a thread of its own. A loop must be closed. Closing a
 * running loop cancels it.
 */
public interface Loop extends AutoCloseable {

  /**
   * Runs an iteration. With several agents, the step ends when an agent has ended or its work was
   * merged. The step first waits if the session is paused, after a failure, or for a rate limit. An
   * interrupt of the thread cancels the loop, and stays set.
   *
   * @return whether the loop continues; false if the loop has ended, see {@link #result()}
   * @throws ContendedException if another loop runs on the session; the message names its host and
   *     process
   * @throws RalphException INVALID if another step is running, in another thread or around this
   *     call; an exception of the store, such as LOCKED or FULL, after which the loop can continue
   * @throws RuntimeException an unexpected exception of the store, the clock or the tools. The loop
   *     has ended with {@link StopReason#FAILURES}, and the session is free
   * @throws Error an error of an agent, gate, listener or other code. The loop has ended
   */
  boolean step();

  /**
   * Calls {@link #step()} until the loop has ended. If the store fails with LOCKED or FULL, or with
   * CONTENDED after the loop has taken the session, the step is retried after a pause, and
   * listeners get a {@link LoopEvent.Type#NOTICE}. The pause grows as after failed iterations. The
   * method throws after {@link Builder#maxFailures} such failures in a row.
   *
   * @throws RalphException as {@link #step()}. The loop has not ended then and can continue; a loop
   *     closed instead ends with {@link StopReason#STORE_FAILED}
   */
  LoopResult run();

  /**
   * Starts {@link #run()} on another thread and returns at once: on the loop's {@linkplain
   * Builder#executor executor}, which needs one more free thread, or else on a new daemon thread.
   * {@link #cancel} and {@link #close()} end the loop, and the stage completes with the result.
   *
   * <pre>{@code
   * try (Loop loop = session.loop(agent).build()) {
   *   CompletionStage<LoopResult> result = loop.start();
   *   result.thenAccept(ended -> log.info("ended: {}", ended));
   *   ...
   *   loop.cancel("shutting down");
   * }
   * }</pre>
   *
   * @return a stage that completes when the loop has ended, on the loop's thread. It completes with
   *     the exception or the error that {@link #run()} throws, and with INVALID if the executor
   *     rejects the loop. The caller can't complete the stage
   */
  CompletionStage<LoopResult> start();

  /**
   * Returns the prompt of the next iteration. Writes nothing, and neither begins the loop nor runs
   * the agent. Listeners get a {@link LoopEvent.Type#NOTICE} for each probable mistake in the
   * template, as at the begin of the loop.
   */
  String preview();

  /** Returns the result of the loop, or empty while it runs. */
  Optional<LoopResult> result();

  /**
   * Ends the loop: interrupts the agent and ends all processes that it has started. Returns at
   * once. The stepping thread returns after the processes have ended.
   *
   * @param reason the reason, for people
   */
  void cancel(String reason);

  /**
   * Cancels the loop unless it has ended, and waits for its end. A call within a step of the same
   * thread does not wait.
   */
  @Override
  void close();

  /**
   * Sets options of one {@linkplain Iteration.Role role} or agent of a loop. Options that are not
   * set have the values of the loop. Not thread-safe.
   */
  interface RoleBuilder {

    /** Sets the tools through which the agent reaches the session. */
    RoleBuilder tools(Tools tools);

    /**
     * Sets the template of the prompt. The default is the loop's prompt with the instructions of
     * the role at the placeholder {@code {{role}}}, or before the prompt if it has no such
     * placeholder.
     */
    RoleBuilder template(String template);

    /** Sets a file with the template of the prompt. */
    RoleBuilder template(Path file);

    /** Sets the time limit of an iteration. */
    RoleBuilder iterationTimeLimit(Duration limit);

    /** Sets the cost limit of an iteration, in US dollars. */
    RoleBuilder iterationMaxCost(BigDecimal usd);

    /** Sets the token limit of an iteration. */
    RoleBuilder iterationMaxTokens(long tokens);
  }

  /** Sets options of the work trees of several agents. Not thread-safe. */
  interface WorkspaceBuilder {

    /**
     * Runs a command in each work tree before its first use, and again after a failure.
     *
     * @param command the program and its arguments, such as {@code npm}, {@code ci}
     */
    WorkspaceBuilder setUp(List<String> command);

    /**
     * Copies a file or folder that Git does not track, for example {@code node_modules} or {@code
     * .env}, from the project into each new work tree. A copied file that Git does not ignore is
     * committed only after a change by an agent. May be called several times.
     *
     * @param path the path relative to the loop's folder, inside the repository
     */
    WorkspaceBuilder copy(Path path);

    /**
     * Sets the first port of the agents; 20000 if not set. Each agent gets ten free ports, from the
     * value of its variable {@code RALPH_PORT_BASE} on.
     */
    WorkspaceBuilder portBase(int port);

    /**
     * Sets the name of the session's branch, {@code ralph/NAME}, and of the work trees; the
     * session's name if not set.
     *
     * @throws RalphException INVALID if the name is no valid segment of a topic
     */
    WorkspaceBuilder name(String name);

    /**
     * Sets a file that each task would change and thus cause conflicts, such as a list of completed
     * tasks. Changes of agents to the file are not merged. Instead the function computes the file's
     * text for each merged task, in the same commit.
     *
     * @param file the path of a UTF-8 text relative to the top of the repository, inside it; the
     *     file may be missing
     * @param text returns the new text for a task and the old text, which is empty if the file is
     *     missing. The merging thread calls the function before the gates, under a lock, once per
     *     attempt. The function must be fast, must not wait for the loop, and must return the same
     *     text for the same arguments
     */
    WorkspaceBuilder onMerge(Path file, BiFunction<Task, String, String> text);

    /**
     * Sets a file as {@link #onMerge}, but merges changes of agents to the file before the function
     * is called. Lines changed on both sides are kept from both sides, so the file is never in
     * conflict. Ticks of existing check boxes and a removal of the file are not merged.
     *
     * @param file the path of a UTF-8 text relative to the top of the repository, inside it; the
     *     file may be missing. The work of an agent with another kind of file there is returned
     * @param text as in {@link #onMerge}
     */
    WorkspaceBuilder onMergeWithEdits(Path file, BiFunction<Task, String, String> text);

    /**
     * Pushes the session's branch to a remote after each merge. Commits that others have pushed are
     * first merged, if they pass the gates, and never overwritten.
     *
     * @param remote the name of the remote, such as {@code origin}
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
     * Lets all agents work in the loop's folder at the same time, without Git. Each agent sees
     * unfinished changes of the others. Nothing is merged, and a task is done as soon as its agent
     * completes it.
     */
    WorkspaceBuilder sharedDirectory();
  }

  /**
   * Sets the options of a loop. Not thread-safe.
   *
   * <p>Limits and pauses use the machine's monotonic clock; if the store's clock is a {@link
   * dev.ralph.spi.MovableClock}, they use that clock. Timeouts of processes, such as {@link
   * #grace}, always use the monotonic clock.
   */
  interface Builder {

    /** Sets the tools through which the agent reaches the session. Required for process agents. */
    Builder tools(Tools tools);

    /**
     * Sets the specification, whose path the prompt contains. A relative path is relative to the
     * agent's working directory.
     */
    Builder spec(Path spec);

    /**
     * Sets the prompt instead of a template. Placeholders are filled; if the text has none, the
     * session's state follows the text.
     */
    Builder prompt(String prompt);

    /** Sets the template of the prompt. */
    Builder template(String template);

    /**
     * Sets a UTF-8 file with the template of the prompt. The file is read once. Errors name the
     * file and the line.
     */
    Builder template(Path file);

    /**
     * Sets the text of the placeholder {@code {{extra}}}. If the template does not have the
     * placeholder, the text is added at the end of the prompt.
     */
    Builder extra(String extra);

    /**
     * Adds a placeholder of the host to the template, such as <code>{{story}}</code>. The stepping
     * thread calls the supplier once for each iteration. The text may have several lines;
     * placeholders in it are not filled. If the text is empty, a line with nothing but the
     * placeholder is removed.
     *
     * @param name letters, digits, {@code _} and {@code -}, beginning with a letter; not the name
     *     of a built-in placeholder
     */
    Builder placeholder(String name, Supplier<String> text);

    /**
     * Adds a variable to the environment of the agent's processes, in addition to the variables
     * that name the session; see {@link Turn#variables}.
     *
     * @throws dev.ralph.log.RalphException INVALID if no process can have the variable, for example
     *     because name and value together are longer than 127 KiB
     */
    Builder variable(String name, String value);

    /**
     * Sets an agent that plans. The planner runs instead of the loop's agent while the session has
     * no task but a spec, a prompt or an unread message. The loop's agent works on the planned
     * tasks. If not set, no iteration only plans.
     *
     * @param own sets the options that the planner does not share with the loop's agent
     */
    Builder plan(Agent planner, Consumer<RoleBuilder> own);

    /** Sets an agent that plans, with the options of the loop's agent. */
    default Builder plan(Agent planner) {
      return plan(planner, role -> {});
    }

    /**
     * Sets an agent that reviews the work: each time that a number of iterations has succeeded
     * since the last successful review, and never twice in a row. A review counts neither as
     * progress nor as an iteration without progress. If not set, there are no reviews.
     *
     * @param every the number of iterations between reviews, at least 1
     * @param own sets the options that the reviewer does not share with the loop's agent
     */
    Builder review(int every, Agent reviewer, Consumer<RoleBuilder> own);

    /** Sets an agent that reviews, with the options of the loop's agent. */
    default Builder review(int every, Agent reviewer) {
      return review(every, reviewer, role -> {});
    }

    /**
     * Sets the number of agents that work at once; 1 if not set. The loop assigns a task to each
     * agent, which works in its own Git work tree on the branch of the task. Completed tasks are
     * merged into the session's branch, {@code ralph/SESSION}, one by one or several together, if
     * the {@linkplain #gate gates} pass after the merge. So gates run after each task, and must be
     * able to pass before all tasks are done; a {@link #finalGate} runs once, at the end. A task
     * that is in conflict or fails a gate is open again, and the next agent gets the reason. A
     * completed task that is not merged counts as open.
     *
     * <p>If no task is ready, one agent works without a task, in the same way. Planners and
     * reviewers always work without a task.
     *
     * <p>Limits, budgets, pauses and questions belong to the loop; limits of an iteration belong to
     * one agent. An agent that has failed {@link #maxFailures} times in a row gets no further task;
     * the loop ends when no agent is left. A {@link Loop#step} ends when an iteration has ended or
     * a task was merged; the other agents keep working.
     *
     * @param agents the number of agents, 1 to 64; with more than 1, the loop's agent must support
     *     {@link Agent#canBeOneOfSeveral}
     */
    Builder agents(int agents);

    /**
     * Sets the agents that work at once, 1 to 64, for example of several clients. They replace the
     * loop's agent. The first agent also works without a task if no task is ready.
     *
     * @param own sets the options that an agent does not share with the loop
     */
    Builder agents(List<Agent> agents, BiConsumer<Agent, RoleBuilder> own);

    /** Sets the agents that work at once, with the options of the loop. */
    default Builder agents(List<Agent> agents) {
      return agents(agents, (agent, own) -> {});
    }

    /** Sets options of the work trees of several agents. */
    Builder workspaces(Consumer<WorkspaceBuilder> places);

    /** Sets the working directory of agent and gates; the present directory if not set. */
    Builder directory(Path directory);

    /**
     * Sets the limit of iterations of this run, including failed and rate-limited iterations; 50 if
     * not set, 0 for no limit.
     */
    Builder maxIterations(int iterations);

    /** Sets the time limit of this run from its first step, including all gates and pauses. */
    Builder timeLimit(Duration limit);

    /**
     * Sets the cost limit of all iterations of this run, in US dollars; no limit if not set. The
     * usage of a killed run counts towards the limit of the next run. When the reported cost
     * reaches the limit, the agent is stopped, and the loop ends with {@link StopReason#BUDGET}.
     * Only reported cost is limited. Listeners get a {@link LoopEvent.Type#NOTICE} if the agent
     * reports no cost.
     */
    Builder maxCost(BigDecimal usd);

    /**
     * Sets the token limit of all iterations of this run: input, cached input and output together.
     * No limit if not set. Otherwise like {@link #maxCost}.
     */
    Builder maxTokens(long tokens);

    /**
     * Counts the usage of earlier iterations towards {@link #maxCost} and {@link #maxTokens}, for a
     * run that continues a longer run. If not set, only a killed run counts.
     *
     * @param iteration the number of the first iteration that counts
     */
    Builder budgetFrom(int iteration);

    /**
     * Sets the cost limit of one iteration, in US dollars; no limit if not set. An agent that
     * reaches the limit is stopped, and the iteration fails.
     */
    Builder iterationMaxCost(BigDecimal usd);

    /** Sets the token limit of one iteration. Otherwise like {@link #iterationMaxCost}. */
    Builder iterationMaxTokens(long tokens);

    /**
     * Sets whether a {@linkplain IterationLog#record record} of each iteration is kept: the prompt
     * and the entries of {@link Turn#record}; true if not set. The output is always kept.
     */
    Builder record(boolean keep);

    /**
     * Sets the number of successful iterations in a row without progress after which the loop ends
     * with {@link StopReason#NO_PROGRESS}; 5 if not set, 0 for no limit.
     *
     * <p>An iteration makes progress if anyone but the loop writes to the session, or if the Git
     * work tree around the folder has another commit, branch, or changed file that Git does not
     * ignore. Without a work tree, a changed size or time of a file in the folder is progress. A
     * folder that takes longer than about a second to scan counts as changed; after three times in
     * a row it counts as changed for the rest of the run. Files are scanned before the first
     * iteration, and after iterations without a write to the session. A host whose agent always
     * makes progress saves the scans with 0.
     *
     * <p>The prompt warns the agent before the limit, and the loop pauses between such iterations:
     * see {@link #failurePause}.
     */
    Builder maxIdle(int iterations);

    /**
     * Sets the attempt limit of a task of several agents. Each return of a completed task is a
     * failed attempt, for example after a failed gate or a merge conflict, and so is an iteration
     * that ends after a refused completion. These are not counted:
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

    /**
     * Sets the time limit of one iteration. An agent that reaches it is stopped, and has failed.
     */
    Builder iterationTimeLimit(Duration limit);

    /**
     * Sets the time in which an agent and its processes have to end on request, before they are
     * killed; 5 seconds if not set. More than 365 days count as 365.
     *
     * <p>The loop waits for an interrupted gate for this time and 16 seconds more. A gate whose
     * code ignores the interrupt keeps running on its thread.
     */
    Builder grace(Duration grace);

    /**
     * Sets the lease on the session, which the loop renews three times per lease. After the lease
     * expires, a loop on another machine may take the session. The loop stops its agent shortly
     * before, if it could not renew the lease. On the same machine, a loop whose process has ended
     * loses the session at once.
     *
     * <p>If not set: 60 seconds or four times the {@linkplain #grace grace}, whichever is longer,
     * on stores of a server. All remaining stores have no lease: a loop on another machine keeps
     * the session until {@link Control#loopIsGone}.
     *
     * @param lease more than twice the grace, to end an agent before another loop begins
     */
    Builder lease(Duration lease);

    /**
     * Sets whether {@link Loop#run} waits while another loop has the session. The loop begins
     * within a second after the other loop has ended or its lease has expired. False if not set:
     * then {@code run} fails at once.
     */
    Builder standBy(boolean wait);

    /**
     * Sets whether the loop pauses before an iteration while questions to the operator are open;
     * false if not set.
     */
    Builder waitForAnswers(boolean wait);

    /** Adds a condition for the completion of the session: a command or Java code. */
    Builder gate(Gate gate);

    /**
     * Adds a gate that runs after all other gates have passed, for example a commit. After a
     * failure the agent gets the reason, as for other gates.
     */
    Builder finalGate(Gate gate);

    /**
     * Sets a predicate that claims completion, for example because the plan is kept outside the
     * session. The stepping thread calls the predicate before the first and after each iteration.
     * The predicate may update the session. If it returns true, no task is open and no message is
     * unread, the gates run, and the agent gets the reasons of failures. The agent can claim
     * completion too.
     *
     * <p>Use {@code doneWhen(session -> true)} if tasks and messages contain all work: the loop
     * then ends as soon as all tasks are settled and all messages are read. If no predicate is set,
     * an agent or a person has to claim completion, because a spec or a prompt may ask for more
     * than the tasks.
     *
     * <p>{@link Loop#step} throws the exceptions of the predicate; the next step calls it again.
     */
    Builder doneWhen(Predicate<Session> done);

    /** Sets the number of failed iterations in a row that end the loop; 3 if not set. */
    Builder maxFailures(int failures);

    /**
     * Sets the pause after the first failure and after the first iteration without progress; 1
     * second if not set. The pause doubles with each further iteration of this kind, up to 5
     * minutes. A longer initial pause does not grow. More than 365 days count as 365.
     */
    Builder failurePause(Duration pause);

    /**
     * Sets the executor of the agent and the gates, for example for virtual threads, thread locals,
     * scoped values or a logging context. If not set, each agent and gate runs on a new daemon
     * thread.
     *
     * <p>The loop runs one agent or gate at a time; with several agents, one task per agent and one
     * for a gate. Besides the stepping thread, which {@link Loop#start} takes from the executor
     * too, the executor needs a free thread for each of these tasks, and must not run work on the
     * calling thread. If it rejects an agent, the loop ends with {@link StopReason#FAILURES}. If
     * the executor does not start an agent within 10 seconds, listeners get a {@link
     * LoopEvent.Type#NOTICE}. The loop does not shut the executor down.
     */
    Builder executor(Executor executor);

    /**
     * Adds a listener. The loop's threads call it, one event at a time. The listener may change the
     * session, for example answer a question, and should return soon. An exception of the listener
     * is logged and ignored. An {@link Error}, such as a failed assertion, ends the loop, and
     * {@link Loop#step} throws it.
     *
     * <p>If the listener does not return, the loop's remaining threads wait 10 seconds and then
     * drop their events. Agents' limits still work. Events of the stepping thread are all types but
     * {@link LoopEvent.Type#OUTPUT}, {@link LoopEvent.Type#USAGE} and {@link
     * LoopEvent.Type#NOTICE}. A listener that hangs at such an event blocks the loop while no agent
     * runs.
     */
    Builder onEvent(Consumer<LoopEvent> listener);

    /**
     * Creates the loop.
     *
     * @throws RalphException INVALID if the options can't work: an agent that needs tools and has
     *     none, an agent outside a work tree that {@linkplain Agent#requireReady can't be started},
     *     {@linkplain Tools#requireReady tools} that don't reach the store, a template with an
     *     unknown placeholder, a missing spec or folder
     */
    Loop build();

    /** Creates, runs and closes the loop. */
    LoopResult run();
  }
}
