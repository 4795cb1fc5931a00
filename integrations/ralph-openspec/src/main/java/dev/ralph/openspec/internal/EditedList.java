package dev.ralph.openspec.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The list of tasks in a work tree whose branch advances elsewhere, by merges that tick tasks. A
 * person may edit the list meanwhile without a commit. Git does not update a work tree if an edited
 * file has changed on the branch.
 */
final class EditedList {

  private final ChangeSession work;

  /** The list at the last update of the work tree; null if the branch contains the whole list. */
  private @Nullable String before;

  EditedList(ChangeSession work) {
    this.work = work;
  }

  /**
   * Updates the work tree to its branch. Edits of the list are kept, and the ticks of the branch
   * since the last update are added.
   */
  void across(Runnable move) {
    Path file = work.change().file(TaskFile.NAME);
    String edited = read(file);
    String known = before;
    if (known == null || known.equals(edited)) {
      move.run();
      before = read(file);
      return;
    }
    write(file, known);
    try {
      move.run();
      String now = read(file);
      before = now;
      edited = TaskFile.tickedSince(edited, known, now);
    } finally {
      write(file, edited);
    }
  }

  /** Records that the branch contains the present list. */
  void committed() {
    before = null;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw FileFailure.of("read", file, e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw FileFailure.of("write", file, e);
    }
  }
}
