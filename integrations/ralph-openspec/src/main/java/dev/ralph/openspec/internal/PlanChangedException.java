package dev.ralph.openspec.internal;

import dev.ralph.log.RalphException;

/** Thrown if the list of tasks was edited and no line corresponds to a completed task. */
final class PlanChangedException extends RalphException {
  private static final long serialVersionUID = 1L;

  PlanChangedException(String message) {
    super(Code.INVALID, message, null);
  }
}
