package dev.ralph.cli.call;

/**
 * A setting in a {@link ConfigFile}.
 *
 * @param place file and line, for messages
 * @param name the name of the setting
 * @param value the text after the equals sign, which may be empty
 */
public record ConfigLine(String place, String name, String value) {

  /** Returns an exception for this line, whose message begins with file and line. */
  public UsageException wrong(String message) {
    return new UsageException(place + ": " + message);
  }
}
