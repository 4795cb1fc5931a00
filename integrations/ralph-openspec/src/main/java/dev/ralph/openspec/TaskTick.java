package dev.ralph.openspec;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/** Ticks a task in place. The tick changes a single byte of the file to an x. */
final class TaskTick {

  private TaskTick() {}

  /**
   * Ticks a task.
   *
   * <p>No lock is needed: concurrent ticks write other bytes or the same byte, and editors ignore
   * locks.
   *
   * @return false if the line has moved or changed because the file was edited
   * @throws RalphException INVALID if the box has no byte to tick, IO if the file can't be written
   */
  static boolean set(Path file, StoryTask task, TaskFile.Place place) {
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
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      if (!stands(open, place)) {
        return false;
      }
      open.seek(place.begin() + place.mark());
      open.write('x');
      open.getFD().sync();
      return true;
    } catch (IOException e) {
      throw FileFailure.of("tick task " + task.id() + " in", file, e);
    }
  }

  /** Returns whether the line is unchanged and at the same place, as a whole. */
  private static boolean stands(RandomAccessFile open, TaskFile.Place place) throws IOException {
    byte[] line = place.line();
    if (open.length() < place.begin() + line.length) {
      return false;
    }
    if (place.begin() > 0) {
      open.seek(place.begin() - 1);
      if (open.read() != '\n') {
        return false;
      }
    }
    open.seek(place.begin());
    byte[] now = new byte[line.length];
    open.readFully(now);
    int behind = open.read();
    return Arrays.equals(line, now) && (behind == '\n' || behind < 0);
  }
}
