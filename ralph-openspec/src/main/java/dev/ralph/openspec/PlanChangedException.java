package dev.ralph.openspec;

import dev.ralph.log.RalphException;

/** The list of tasks was edited, and no line corresponds to a task that was completed. */
final class PlanChangedException extends RalphException {
  private static final long serialVersionUID = 1L;

  PlanChangedException(String message) {
    super(Code.INVALID, message, null);
  }
}
