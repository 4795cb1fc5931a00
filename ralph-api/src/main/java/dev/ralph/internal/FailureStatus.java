package dev.ralph.internal;

import dev.ralph.log.RalphException;

/** The HTTP statuses of failures, for the server and for adapters to frameworks. */
public final class FailureStatus {

  private FailureStatus() {}

  /** Returns the HTTP status of a code, from 400 to 599. */
  public static int of(RalphException.Code code) {
    return switch (code) {
      case INVALID -> 400;
      case NOT_FOUND -> 404;
      case AMBIGUOUS, CONTENDED -> 409;
      case LOCKED, CLOSED, UNAVAILABLE -> 503;
      case FULL -> 507;
      case UNSUPPORTED -> 501;
      case DAMAGED, INDETERMINATE, IO -> 500;
    };
  }
}
