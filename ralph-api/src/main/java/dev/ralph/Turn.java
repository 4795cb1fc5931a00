package dev.ralph;

import dev.ralph.tool.AgentTools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The input and the callbacks of an agent for one iteration. */
public interface Turn {

  /**
   * The name of the environment variable with the agent's number. The variable is set only if
   * several agents of a loop work at once.
   */
  String AGENT = "RALPH_AGENT";

  /** Returns the agent's {@linkplain Session#asAgent() session}, for direct use by Java code. */
  Session session();

  /** Returns the number of the iteration. */
  int iteration();

  /**
   * Returns the number of the agent, from 1, if several agents work at once; 0 for a single agent.
   */
  default int agent() {
    return 0;
  }

  /**
   * Opens the session's tools for an agent in this program, such as a model that the host calls
   * itself. The agent's claims and leases end with the iteration. In a loop, each call and its
   * result are {@linkplain #record recorded}.
   *
   * @return the tools of one agent, which the caller closes after the agent has ended
   */
  default AgentTools openTools() {
    return session()
        .openTools(
            ToolSettings.STANDARD
                .iteration(iteration())
                .agent(agent())
                .inLoop()
                .directory(directory()));
  }

  /** Returns the prompt: the template, filled with the session's state. */
  String prompt();

  /** Returns the agent's working directory, an absolute path. */
  Path directory();

  /** Returns the end of the iteration's time limit, or null without a limit. */
  @Nullable Instant deadline();

  /** Returns the time in which the agent and its processes have to end after a cancellation. */
  default Duration grace() {
    return Duration.ofSeconds(5);
  }

  /** Returns whether the iteration was cancelled; the agent should then end at once. */
  boolean cancelled();

  /**
   * Returns the mark for the environment of each process of the agent. The loop finds and ends all
   * marked processes. An agent that starts processes sets their variable {@code RALPH_MARK} to the
   * mark. If the variable has a value, the agent appends {@code ;} and the mark to the value.
   */
  String processMark();

  /**
   * Returns variables for the environment of each process of the agent, with which the command
   * {@code ralph} finds this session: {@code RALPH_SESSION}, {@code RALPH_STORE} if other processes
   * can use the store, {@code RALPH_ITERATION}, {@code RALPH_BRANCH} if a branch is checked out,
   * {@code RALPH_AGENT} if several agents work at once, and the variables {@linkplain
   * Loop.Builder#variable of the host}. An agent with a task of its own also has {@code
   * RALPH_TASK}, {@code RALPH_TASK_TEXT}, {@code RALPH_TASK_FILE} and {@code RALPH_ATTEMPT}; the
   * file exists until the iteration ends. The first two variables are the same in all turns on a
   * session.
   *
   * @throws dev.ralph.log.RalphException IO if the file with the task's text can't be written
   */
  default Map<String, String> variables() {
    return Map.of("RALPH_SESSION", session().name());
  }

  /**
   * Publishes output of the agent, which is stored and shown.
   *
   * @param text one or more lines, without the last line break
   */
  void output(String text);

  /**
   * Returns the cost limit of this iteration in US dollars, as of its begin: the rest of the loop's
   * budget or the limit of an iteration, whichever is less. Null if there is no limit. For agents
   * that can enforce a budget themselves; the loop enforces the limit too.
   */
  default @Nullable BigDecimal maxCost() {
    return null;
  }

  /**
   * Reports the total usage of this iteration so far. Call the method after each change, from any
   * thread. The last report counts if the agent's result has no usage, for example because the
   * agent was stopped. The loop stops an agent at the limit; an agent without reports is not
   * limited.
   */
  default void usage(Usage soFar) {}

  /**
   * Adds an entry to the {@linkplain IterationLog#record record} of this iteration. Call the method
   * in the order of the events, from any thread. Secrets are redacted, and texts are cut after
   * 16,384 characters. The entry is not shown while the agent runs; use {@link #output} for that.
   * The method does nothing if no record is kept, and ignores entries that only the loop writes.
   */
  default void record(RecordEntry entry) {}

  /** Publishes information for a person that is not output of the agent. */
  void notice(String text);
}
