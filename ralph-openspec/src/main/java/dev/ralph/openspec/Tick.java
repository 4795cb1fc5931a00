package dev.ralph.openspec;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/** Ticks a task where it stands in its file: one byte becomes an x, and no other byte changes. */
final class Tick {

  private Tick() {}

  /**
   * Ticks a task.
   *
   * <p>No lock is held. Others that tick write other bytes, or the same one; and no editor would
   * heed a lock.
   *
   * @return false if its line is not there any more: somebody has edited the file since
   * @throws RalphException INVALID if its box has no byte to tick, IO if the file can't be written
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
              + " can't be ticked as it stands; write it as '- [ ] '");
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

  /** Returns whether the line still is where it was, from its beginning to its end. */
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
