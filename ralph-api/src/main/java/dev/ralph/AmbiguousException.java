package dev.ralph;

import java.util.List;

/** An abbreviated reference fits more than one thing. */
public final class AmbiguousException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> candidates;

  /** Makes the failure; the message should name the candidates as well. */
  public AmbiguousException(String message, List<String> candidates) {
    super(Code.AMBIGUOUS, message);
    this.candidates = List.copyOf(candidates);
  }

  /** Returns the references that would be unambiguous, each of one of the things it fits. */
  public List<String> candidates() {
    return candidates == null ? List.of() : candidates;
  }
}
