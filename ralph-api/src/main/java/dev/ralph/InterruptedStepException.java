package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;

/**
 * Thrown when an earlier attempt of a {@linkplain Session#step step} was interrupted, for example
 * because its process was killed. The progress of the attempt is unknown. The code is
 * INDETERMINATE.
 */
public final class InterruptedStepException extends RalphException {

  private static final long serialVersionUID = 1;

  private final String step;
  private final Instant begun;

  /**
   * Creates the exception.
   *
   * @param step the name of the step
   * @param begun the time of the first attempt
   */
  public InterruptedStepException(String message, String step, Instant begun) {
    super(Code.INDETERMINATE, message, null);
    this.step = step;
    this.begun = begun;
  }

  /** Returns the name of the step. */
  public String step() {
    return step;
  }

  /** Returns the time of the first attempt. */
  public Instant begun() {
    return begun;
  }
}
