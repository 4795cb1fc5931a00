package dev.ralph;

import dev.ralph.log.Meta;
import java.time.Instant;

/** The event of {@link LoopEvent#of}, and the common part of all events. */
record PlainEvent(
    Type type, String session, Instant time, int iteration, int agent, String message, Meta data)
    implements LoopEvent {

  @Override
  public LoopEvent head() {
    return this;
  }

  @Override
  public String toString() {
    return message();
  }
}
