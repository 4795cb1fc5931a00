package dev.ralph.cli.call;

import dev.ralph.core.text.TextFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One setting in the file with a project's own defaults.
 *
 * @param place file and line, for messages
 * @param name what is set
 * @param value the rest of the line, may be empty
 */
public record ConfigLine(String place, String name, String value) {

  /** The file's name; it is found as the store is. */
  public static final String FILE = ".ralph.conf";

  /**
   * Reads a file's settings, in order.
   *
   * @throws UsageException if a line is no setting, naming file and line
   * @throws dev.ralph.RalphException if the file can't be read
   */
  public static List<ConfigLine> read(Path file) {
    List<ConfigLine> lines = new ArrayList<>();
    int number = 0;
    for (String line : TextFile.read("the file", file).split("\r?\n", -1)) {
      number++;
      String stripped = line.strip();
      if (stripped.isEmpty() || stripped.startsWith("#")) {
        continue;
      }
      String place = file + ":" + number;
      int equals = stripped.indexOf('=');
      if (equals < 0) {
        throw new UsageException(
            place
                + ": write an option as NAME = VALUE, and a comment on a line that begins with #");
      }
      lines.add(
          new ConfigLine(
              place,
              stripped.substring(0, equals).strip(),
              stripped.substring(equals + 1).strip()));
    }
    return lines;
  }

  /** Returns the failure that says what is wrong with this line. */
  public UsageException wrong(String message) {
    return new UsageException(place + ": " + message);
  }
}
