package dev.ralph.web.internal.http;

/** A request that can't be met, with the status that says so. */
public final class HttpFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final boolean guess;

  /**
   * @param status of HTTP
   * @param message for a person: what was wrong, and what to do
   */
  public HttpFailure(int status, String message) {
    this(status, message, false);
  }

  private HttpFailure(int status, String message, boolean guess) {
    super(message);
    this.status = status;
    this.guess = guess;
  }

  /** Returns the failure of a token that is not known. It is answered late: it may be a guess. */
  public static HttpFailure unknownToken() {
    return new HttpFailure(
        401,
        "this token is not known here, or no longer, and a link works once; open a new link of"
            + " ralph serve",
        true);
  }

  int status() {
    return status;
  }

  boolean isGuess() {
    return guess;
  }
}
