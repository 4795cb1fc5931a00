package dev.ralph.openspec.internal;

import dev.ralph.core.internal.text.BoxPlace;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Ticks a task in place. The tick changes a single byte of the file to an x. */
final class TaskTick {

  private TaskTick() {}

  /**
   * Ticks a task.
   *
   * @return false if the line has moved or changed because the file was edited, or if the file is
   *     missing, for example while a program replaces it
   * @throws RalphException INVALID if the box has no byte to tick, IO if the file can't be written
   */
  static boolean set(Path file, StoryTask task, BoxPlace place) {
    if (place.mark() < 0) {
      throw RalphException.invalid(
          "the box of task "
              + task.id()
              + " on line "
              + task.line()
              + " of "
              + file
              + " cannot be ticked; change its line to begin with '- [ ] '");
    }
    try {
      return place.tick(file);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw FileFailure.of("tick task " + task.id() + " in", file, e);
    }
  }
}
