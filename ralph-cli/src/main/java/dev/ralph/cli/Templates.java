package dev.ralph.cli;

import dev.ralph.RalphException;
import java.nio.file.Path;
import javax.annotation.Nullable;

/**
 * Finds the template of the prompt: the one named, else the nearest {@code .ralph.template}, else
 * built in.
 */
final class Templates {

  private Templates() {}

  /**
   * Returns the template's text, or null for the built-in one.
   *
   * @param named the file given by {@code --template}, or null
   * @throws RalphException NOT_FOUND if the file named does not exist, INVALID if it is not UTF-8
   */
  @Nullable
  static String find(@Nullable String named, Environment environment) {
    Path file =
        named == null
            ? new Project(environment.directory()).find(GenTemplateCommand.FILE)
            : environment.path(named);
    return file == null ? null : TextFile.read("the template", file);
  }
}
