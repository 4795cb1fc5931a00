package dev.ralph.openspec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The list of tasks in a work tree whose branch moves on elsewhere, ticked by landing. What
 * somebody edits in it meanwhile is no commit's yet, and git moves no work tree on that is edited
 * where the branch has changed.
 */
final class EditedList {

  private final ChangeSession work;

  /** What it was when the work tree was last brought up to its branch; null if that has all. */
  private @Nullable String before;

  EditedList(ChangeSession work) {
    this.work = work;
  }

  /**
   * Brings the work tree up to its branch. What somebody has edited stays, with what was ticked on
   * the branch since.
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

  /** Takes note that what stands in it is committed on the branch. */
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
