package dev.ralph;

import dev.ralph.log.RalphException;
import java.time.Instant;

/**
 * A {@linkplain Session#step step} was begun and never ended, because its process was killed, say:
 * nobody knows how far it came. Has the code INDETERMINATE.
 */
public final class HalfDoneException extends RalphException {

  private static final long serialVersionUID = 1;

  private final String step;
  private final Instant begun;

  /**
   * Makes the failure.
   *
   * @param step the step's name
   * @param begun when it was first begun
   */
  public HalfDoneException(String message, String step, Instant begun) {
    super(Code.INDETERMINATE, message, null);
    this.step = step;
    this.begun = begun;
  }

  /** Returns the step's name. */
  public String step() {
    return step;
  }

  /** Returns when it was first begun. */
  public Instant begun() {
    return begun;
  }
}
