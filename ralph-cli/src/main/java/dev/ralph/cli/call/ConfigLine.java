package dev.ralph.cli.call;

/**
 * One setting in a {@link ConfigFile}.
 *
 * @param place file and line, for messages
 * @param name what is set
 * @param value the rest of the line, may be empty
 */
public record ConfigLine(String place, String name, String value) {

  /** Returns the failure that says what is wrong with this line. */
  public UsageException wrong(String message) {
    return new UsageException(place + ": " + message);
  }
}
