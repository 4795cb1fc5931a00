package dev.ralph.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An abbreviated reference fits more than one thing. */
public final class AmbiguousException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> candidates;

  /** Makes the failure; the message should name the candidates as well. */
  public AmbiguousException(String message, List<String> candidates) {
    this(message, candidates, null);
  }

  private AmbiguousException(String message, List<String> candidates, @Nullable Throwable cause) {
    super(Code.AMBIGUOUS, message, cause);
    this.candidates = List.copyOf(candidates);
  }

  /** Returns unambiguous references, one to each thing that the reference fits. */
  public List<String> candidates() {
    return candidates == null ? List.of() : candidates;
  }

  @Override
  public AmbiguousException withMessage(String message) {
    return new AmbiguousException(message, candidates(), this);
  }
}
