package dev.ralph.cli.call;

import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.core.internal.text.TextFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The file with the default options of a project.
 *
 * @param path the path of the file
 * @param text the whole text
 * @param lines the settings in order
 */
public record ConfigFile(Path path, String text, List<ConfigLine> lines) {

  /** The file name. The search for the file is the same as for the store. */
  public static final String NAME = ".ralph.conf";

  public ConfigFile {
    lines = List.copyOf(lines);
  }

  /**
   * Reads a file.
   *
   * @throws UsageException if a line is not a setting; the message names file and line
   * @throws dev.ralph.log.RalphException if the file cannot be read
   */
  public static ConfigFile read(Path file) {
    PlainPath.requireNoPipe(file);
    String text = TextFile.read("the file", file);
    List<ConfigLine> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.split("\r?\n", -1)) {
      number++;
      String stripped = line.strip();
      if (stripped.isEmpty() || stripped.startsWith("#")) {
        continue;
      }
      String place = file + ":" + number;
      int equals = stripped.indexOf('=');
      if (equals < 0) {
        throw new UsageException(
            place + ": not an option; write NAME = VALUE, or # before a comment");
      }
      lines.add(
          new ConfigLine(
              place,
              stripped.substring(0, equals).strip(),
              stripped.substring(equals + 1).strip()));
    }
    return new ConfigFile(file, text, lines);
  }
}
