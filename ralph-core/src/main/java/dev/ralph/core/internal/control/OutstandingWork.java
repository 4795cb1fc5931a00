package dev.ralph.core.internal.control;

import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks and messages of a session that its completion depends on. */
public final class OutstandingWork {

  private final Ledger<Tasks> tasks;
  private final Ledger<Messages> messages;
  private final TopicFilter frames;
  private final Clock clock;

  /**
   * Creates the work of a present or past session.
   *
   * @param frames selects the frames of both ledgers
   */
  public OutstandingWork(
      Ledger<Tasks> tasks, Ledger<Messages> messages, TopicFilter frames, Clock clock) {
    this.tasks = tasks;
    this.messages = messages;
    this.frames = frames;
    this.clock = clock;
  }

  /** Returns the filter of the frames that change the work. */
  TopicFilter frames() {
    return frames;
  }

  boolean areTasksSettled() {
    return tasks.state().areSettled();
  }

  /** Returns the reasons against completion, each with a remedy for an agent. */
  List<String> reasons() {
    return CompletionBlockers.reasons(tasks.state(), messages.state(), clock.instant());
  }

  /** Returns the reasons that one of several agents can resolve. */
  List<String> reasonsOfOne() {
    return CompletionBlockers.ofOne(tasks.state(), messages.state(), clock.instant());
  }

  /** Returns the reasons without remedies, for people. */
  List<String> facts() {
    return CompletionBlockers.facts(tasks.state(), messages.state(), clock.instant());
  }

  /** Returns a description of the unread messages, or null for none. */
  @Nullable String unread() {
    return CompletionBlockers.unread(messages.state(), clock.instant());
  }
}
