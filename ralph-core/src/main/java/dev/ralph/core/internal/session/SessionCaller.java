package dev.ralph.core.internal.session;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.IterationLog;
import dev.ralph.Redactor;
import dev.ralph.core.internal.inbox.MessageRecipient;
import dev.ralph.core.internal.task.CompletionTrial;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.log.RalphException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The caller of a session: a host or person, the only agent, or one of several agents. */
final class SessionCaller {

  /** A host or a person, whose texts are not redacted. */
  static final SessionCaller HOST = new SessionCaller(Redactor.none(), 0, null);

  private final Redactor redactor;
  private final int agent;
  private final @Nullable CompletionTrial trial;

  /**
   * Creates a caller.
   *
   * @param redactor redacts the texts of the caller's tasks
   * @param agent the number of the agent among several; 0 for other callers
   * @param trial tests the agent's work before its task is completed; null for no test
   */
  SessionCaller(Redactor redactor, int agent, @Nullable CompletionTrial trial) {
    this.redactor = redactor;
    this.agent = agent;
    this.trial = trial;
  }

  Redactor redactor() {
    return redactor;
  }

  @Nullable CompletionTrial trial() {
    return trial;
  }

  /** Returns a source of the running iteration of one of several agents; null for other callers. */
  @Nullable Supplier<Iteration> iteration(IterationLog iterations, String session) {
    return agent == 0
        ? null
        : () ->
            iterations
                .running(agent)
                .orElseThrow(
                    () ->
                        RalphException.invalid(
                            "no iteration of agent "
                                + agent
                                + " of session "
                                + session
                                + " runs, so the agent can't work on tasks"));
  }

  /** Returns the action after the caller has sent a message with a text. */
  Consumer<String> afterSend(LedgerTaskLog tasks) {
    return agent == 0 ? tasks::resetNamed : text -> {};
  }

  /** Returns the caller as a recipient of messages. */
  MessageRecipient recipient(IterationLog iterations, Control control) {
    if (agent == 0) {
      return MessageRecipient.ANY;
    }
    int agents =
        control
            .running()
            .filter(Control.RunningLoop::live)
            .map(Control.RunningLoop::agents)
            .orElse(0);
    Iteration own = iterations.running(agent).orElse(null);
    return new MessageRecipient(
        agent, agents, own != null && own.task() == null, own == null ? 0 : own.number());
  }
}
