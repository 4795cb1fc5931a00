package dev.ralph.core.internal.session;

import dev.ralph.Control;
import dev.ralph.Redactor;
import dev.ralph.core.internal.control.ActivityLog;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.OutstandingWork;
import dev.ralph.core.internal.inbox.LedgerInbox;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.note.LedgerNoteLog;
import dev.ralph.core.internal.question.LedgerQuestions;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.log.Ledger;
import java.time.Clock;
import java.util.Optional;

/** The logs of a session for a caller, at present or at a past moment. */
final class SessionLogs {

  final LedgerTaskLog tasks;
  final LedgerNoteLog notes;
  final LedgerInbox inbox;
  final LedgerQuestions questions;
  final LedgerIterationLog iterations;
  final LedgerControl control;

  /**
   * Creates the logs over ledgers.
   *
   * @param ledgers the present ledgers
   * @param redactor redacts notes and questions
   */
  SessionLogs(
      SessionLedgers ledgers,
      SessionTopics topics,
      SessionMoment moment,
      Redactor redactor,
      SessionCaller caller) {
    Ledger<Tasks> taskLedger = moment.of(ledgers.tasks());
    Ledger<Messages> messages = moment.of(ledgers.messages());
    Clock clock = moment.clock();
    this.iterations =
        new LedgerIterationLog(
            moment.of(ledgers.iterations()),
            topics.iteration(),
            topics.output(),
            topics.record(),
            moment);
    this.control =
        new LedgerControl(
            moment.of(ledgers.control()),
            topics.control(),
            new OutstandingWork(taskLedger, messages, topics.completion(), clock),
            new ActivityLog(moment.of(ledgers.activities()), topics.activity(), clock),
            moment::isLive);
    this.tasks =
        new LedgerTaskLog(
            taskLedger,
            topics.task(),
            clock,
            caller.redactor(),
            caller.iteration(iterations, topics.session()),
            caller.trial());
    this.notes = new LedgerNoteLog(moment.of(ledgers.notes()), topics.note(), redactor);
    this.inbox =
        new LedgerInbox(
            messages,
            topics.inbox(),
            clock,
            this::prompted,
            caller.afterSend(tasks),
            () -> caller.recipient(iterations, control));
    this.questions =
        new LedgerQuestions(
            moment.of(ledgers.questions()),
            topics.question(),
            messages,
            topics.inbox(),
            redactor,
            this::running);
  }

  /**
   * Returns the number of a running iteration: the preferred iteration if running, otherwise the
   * newest running iteration, or 0. Iterations left open by a killed loop do not count.
   */
  private int running(int preferred) {
    int running = iterations.ongoing(preferred);
    return running > 0 && control.running().filter(Control.RunningLoop::live).isPresent()
        ? running
        : 0;
  }

  private Optional<String> prompted(int preferred) {
    int running = running(preferred);
    return running == 0 ? Optional.empty() : Optional.of(iterations.begun(running));
  }
}
