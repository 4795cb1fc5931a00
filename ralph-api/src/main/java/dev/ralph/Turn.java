package dev.ralph;

import dev.ralph.tool.AgentTools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an agent is given for one iteration. */
public interface Turn {

  /** The variable that tells the agents of a loop apart where several work at once. */
  String AGENT = "RALPH_AGENT";

  /** Returns the session to work on. */
  Session session();

  /** Returns the iteration's number. */
  int iteration();

  /**
   * Returns the agent's number among several that work at once, from 1; 0 for one that works alone.
   */
  default int agent() {
    return 0;
  }

  /**
   * Opens the session's tools for an agent in this program, such as a model that the host calls
   * itself. What the agent claims with them, and what it was shown, ends with the iteration.
   *
   * @return tools of one agent, to be closed when it has ended
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

  /** Returns what the agent is asked to do, with the session's state in it. */
  String prompt();

  /** Returns the folder to work in. */
  Path directory();

  /** Returns when the iteration's time is up, or null where it has no limit. */
  @Nullable Instant deadline();

  /** Returns how long the agent and its processes have to end once it was cancelled. */
  default Duration grace() {
    return Duration.ofSeconds(5);
  }

  /** Returns whether the agent should end at once. */
  boolean cancelled();

  /**
   * Returns the mark that every process started for this loop must carry in its environment, so
   * that it can always be found and ended.
   */
  String processMark();

  /**
   * Returns variables for the environment of every process that is started for the agent, so that
   * the command {@code ralph} means this session in it: {@code RALPH_SESSION}, {@code RALPH_STORE}
   * where other processes can use the store, {@code RALPH_ITERATION}, {@code RALPH_BRANCH} where a
   * branch is checked out, {@code RALPH_AGENT} where several agents work at once, and those
   * {@linkplain Loop.Builder#variable of the host}. An agent with a task of its own also has {@code
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
   * Hands over something that the agent said, to be kept in the transcript and shown.
   *
   * @param text a line or several, without the last line break
   */
  void output(String text);

  /**
   * Returns how much this iteration may cost at most, in US dollars, as of its beginning: what is
   * left of the loop's budget, or the limit of an iteration where that is less. Null where there is
   * no such limit. For an agent that can keep a budget itself; the loop keeps it too.
   */
  default @Nullable BigDecimal maxCost() {
    return null;
  }

  /**
   * Reports what this iteration has used so far, in total; call it whenever that changes, from any
   * thread. The last report counts if the agent's result has no usage, for example because it was
   * ended early. The loop ends an agent that uses more than its budget allows; a budget of an agent
   * that reports nothing can't be kept.
   */
  default void usage(Usage soFar) {}

  /**
   * Hands over something that the agent did, for the {@linkplain IterationLog#record record} of
   * this iteration; from any thread, in the order in which it happened. Secrets are taken out of
   * it, and texts of more than 16,384 characters are kept as they begin. It is not shown: what is
   * to be seen while the agent works is an {@linkplain #output output} as well. Where no record is
   * kept, this does nothing. What only the loop writes is left out.
   */
  default void record(RecordEntry entry) {}

  /** Hands over something a person should know that is not the agent's own words. */
  void notice(String text);
}
