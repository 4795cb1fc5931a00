package dev.ralph.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown when an abbreviated reference matches several objects. */
public final class AmbiguousException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> candidates;

  /** Creates the exception. The message should also name the candidates. */
  public AmbiguousException(String message, List<String> candidates) {
    this(message, candidates, null);
  }

  private AmbiguousException(String message, List<String> candidates, @Nullable Throwable cause) {
    super(Code.AMBIGUOUS, message, cause);
    this.candidates = List.copyOf(candidates);
  }

  /** Returns one unambiguous reference to each matching object. */
  public List<String> candidates() {
    return candidates == null ? List.of() : candidates;
  }

  @Override
  public AmbiguousException withMessage(String message) {
    return new AmbiguousException(message, candidates(), this);
  }
}
