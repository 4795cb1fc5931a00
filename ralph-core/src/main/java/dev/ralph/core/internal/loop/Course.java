package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.prompt.Company;
import org.jspecify.annotations.Nullable;

/** How the iterations of a run follow each other, once it has begun. */
interface Course {

  /** Begins, once the session is the run's; may be called again where that failed. */
  void open();

  /** Takes the run on by a step, and decides whether it ends. */
  void advance();

  /** Returns whom the agent of the next iteration works with; null where it is the only one. */
  @Nullable Company next();

  /** Returns whether the current thread is one that a step waits for. */
  boolean isCurrentThread();

  /** Cuts off what still runs, and waits until it has ended. */
  void cutOff();

  /** Writes what is still to be written. May be called again where that failed. */
  void write();

  /** Returns whether an agent was told to end and has not. */
  boolean hasLeftBehind();

  /** Runs what is to follow once every agent that was left behind has ended. */
  void whenEnded(Runnable next);

  /** Lets go of all that it has, once the run has ended. */
  void close();
}
