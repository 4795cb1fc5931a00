package dev.ralph.cli.loop;

import dev.ralph.cli.call.Invocation;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
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
      Path found = call.projectFile(GenTemplateCommand.FILE);
      if (found != null) {
        PlainPath.requireNoPipe(found);
        requireInside(found, found);
      }
      return found;
    }
    Path file = call.environment().path(named);
    if (Files.notExists(file)) {
      throw RalphException.notFound(
          "the template " + RalphException.quote(file.toString()) + " does not exist");
    }
    return file;
  }

  /**
   * Refuses a template that a project chose and that is a link out of it: its maker could have any
   * file of the user's sent to a model.
   *
   * @param chooser the project's file that names it, or it itself
   * @throws RalphException INVALID if it seems to be in the chooser's folder, and is not
   */
  static void requireInside(Path chooser, Path template) {
    Path folder = chooser.toAbsolutePath().normalize().getParent();
    if (folder == null || !template.toAbsolutePath().normalize().startsWith(folder)) {
      return; // as it was written it is elsewhere, which was to be seen
    }
    Path real;
    try {
      real = template.toRealPath();
      if (real.startsWith(folder.toRealPath())) {
        return;
      }
    } catch (IOException notThere) {
      return; // who reads it says so
    }
    throw RalphException.invalid(
        "the template "
            + RalphException.quote(template.toString())
            + " is a link that leads out of its folder, to "
            + RalphException.quote(real.toString())
            + "; if you want that to be the prompt, name it by --template");
  }
}
