package dev.ralph.web.internal.http;

/** A request failure with its HTTP status. */
public final class HttpFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final boolean guess;

  /**
   * Creates a failure.
   *
   * @param status the HTTP status
   * @param message the problem and its remedy, for a person
   */
  public HttpFailure(int status, String message) {
    this(status, message, false);
  }

  private HttpFailure(int status, String message, boolean guess) {
    super(message);
    this.status = status;
    this.guess = guess;
  }

  /**
   * Returns the failure of an unknown token. The response is delayed, because the token may be a
   * guess.
   */
  public static HttpFailure unknownToken() {
    return new HttpFailure(
        401,
        "unknown or expired token; each link works once, so open a new link of ralph serve",
        true);
  }

  int status() {
    return status;
  }

  boolean isGuess() {
    return guess;
  }
}
