package dev.ralph.cli.loop;

import dev.ralph.RalphException;
import dev.ralph.cli.call.Invocation;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the template of the prompt: the one named, else the nearest {@code .ralph.template}. */
final class Templates {

  private Templates() {}

  /**
   * Returns the template's file, or null where the built-in one is to be used.
   *
   * @param named the file given by {@code --template}, or null
   * @throws RalphException NOT_FOUND if the file named does not exist
   */
  static @Nullable Path find(@Nullable String named, Invocation call) {
    if (named == null) {
      return call.projectFile(GenTemplateCommand.FILE);
    }
    Path file = call.environment().path(named);
    if (Files.notExists(file)) {
      throw RalphException.notFound(
          "the template " + RalphException.quote(file.toString()) + " does not exist");
    }
    return file;
  }
}
