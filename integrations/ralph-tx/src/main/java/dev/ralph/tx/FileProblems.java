package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the problems of one file. */
final class FileProblems {

  /** A limit for readers, and for files crafted to have thousands of problems. */
  private static final int MOST = 50;

  private final String file;
  private final List<TxProblem> found = new ArrayList<>();

  FileProblems(String file) {
    this.file = file;
  }

  /** Returns empty findings for the same file. */
  FileProblems another() {
    return new FileProblems(file);
  }

  void add(FileProblems others) {
    others.found.forEach(this::add);
  }

  void warn(int line, String text) {
    warn(line, 0, text);
  }

  void warn(int line, int column, String text) {
    add(new TxProblem(file, line, column, text));
  }

  private void add(TxProblem problem) {
    if (found.size() < MOST) {
      found.add(problem);
    } else if (found.size() == MOST) {
      found.add(new TxProblem(file, 0, 0, "more problems follow"));
    }
  }

  List<TxProblem> all() {
    return List.copyOf(found);
  }

  /** Returns the exception for a file that can't be parsed. */
  RalphException failure(int line, int column, String text, @Nullable Throwable cause) {
    return RalphException.invalid(new TxProblem(file, line, column, text).toString(), cause);
  }
}
