package dev.ralph.cli.loop;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the template of the prompt: the named file, else the nearest {@code .ralph.template}. */
final class Templates {

  private Templates() {}

  /**
   * Returns the template's file, or null for the built-in template.
   *
   * @param named the file given by {@code --template}, or null
   * @throws RalphException NOT_FOUND if the named file does not exist
   */
  static @Nullable Path find(@Nullable String named, Invocation call) {
    if (named == null) {
      Path found = Project.file(call.environment(), GenTemplateCommand.FILE);
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
   * Rejects a link out of the project as a template chosen by the project. Otherwise the project's
   * author could send any of the user's files to a model.
   *
   * @param chooser the project's file that names the template, or the template itself
   * @throws RalphException INVALID if the path is in the chooser's folder and its target is not
   */
  static void requireInside(Path chooser, Path template) {
    Path folder = chooser.toAbsolutePath().normalize().getParent();
    if (folder == null || !template.toAbsolutePath().normalize().startsWith(folder)) {
      return; // the written path is visibly outside the folder
    }
    Path real;
    try {
      real = template.toRealPath();
      if (real.startsWith(folder.toRealPath())) {
        return;
      }
    } catch (IOException notThere) {
      return; // the reader of the file reports the error
    }
    throw RalphException.invalid(
        "the template "
            + RalphException.quote(template.toString())
            + " is a link to a file outside of its folder, "
            + RalphException.quote(real.toString())
            + "; to use this file as the prompt, give it by --template");
  }
}
