package dev.ralph.core.internal.loop.run;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.log.ClosedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Notifies the listeners of each new question and each read message while the loop runs. Not
 * thread-safe.
 */
public final class ConversationEvents {

  private static final System.Logger LOG =
      System.getLogger(ConversationEvents.class.getPackageName());

  private final SharedReading reading;
  private final Questions questions;
  private final Inbox inbox;
  private final RunLimits limits;
  private final LoopEvents events;

  /** The number of questions so far; negative before the loop has begun. */
  private int asked = -1;

  /** The number of messages so far; negative before the loop has begun. */
  private int sent = -1;

  /** The ids of the messages that were unread at the last read. */
  private Set<String> unread = Set.of();

  ConversationEvents(LoopSession session, LoopEvents events) {
    this.reading = session.reading();
    this.questions = session.seen().questions();
    this.inbox = session.seen().inbox();
    this.limits = session.limits();
    this.events = events;
  }

  /** Reads the new frames, and reports new questions and read messages like {@link #report()}. */
  void readAndReport() {
    unlessGone(reading::readNewFrames);
    report();
  }

  /**
   * Reports the questions and read messages since the last call. The first call only records the
   * existing ones.
   *
   * @throws RalphException NOT_FOUND if the store was deleted or moved, CLOSED if the host closed
   *     it, because further work of the agent would be lost
   */
  public void report() {
    unlessGone(this::reportQuestions);
    unlessGone(this::reportReadMessages);
  }

  private static void unlessGone(Runnable read) {
    try {
      read.run();
    } catch (NotFoundException | ClosedException e) {
      throw e;
    } catch (RalphException e) {
      // The next read may succeed. A failure must not affect the agent.
      LOG.log(Level.DEBUG, "questions or messages could not be read", e);
    }
  }

  private void reportQuestions() {
    List<Question> all = questions.history();
    if (asked >= 0) {
      all.subList(Math.min(asked, all.size()), all.size()).forEach(events::asked);
    }
    asked = all.size();
  }

  /**
   * A message becomes unread again if the iteration failed, and is reported again at the next read.
   */
  private void reportReadMessages() {
    List<Message> all = inbox.history();
    Set<String> now = new LinkedHashSet<>();
    inbox.unread().forEach(message -> now.add(message.id()));
    if (sent >= 0) {
      Set<String> gone = new LinkedHashSet<>(unread);
      all.subList(Math.min(sent, all.size()), all.size()).forEach(each -> gone.add(each.id()));
      gone.removeAll(now);
      gone.forEach(this::reportIfRead);
    }
    sent = all.size();
    unread = now;
  }

  private void reportIfRead(String id) {
    try {
      Message message = inbox.get(id);
      if (message.isRead()) {
        events.messageRead(limits.last(), message);
      }
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "a message could not be read; it may have been erased", e);
    }
  }
}
